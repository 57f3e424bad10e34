//! The function table of the C API, in the order of the header, and the argument struct of each function.

use super::args::ExtensionBase;
use std::ffi::{c_int, c_void};
use std::mem::offset_of;

/// The version of the API that these layouts belong to. Plugins with another minor version are used as far as they have the functions.
pub const VERSION: (i32, i32) = (0, 81);

/// A function of the table, whether or not a plugin has it.
pub type Entry = Option<unsafe extern "C" fn(*mut c_void) -> *mut c_void>;

macro_rules! functions {
    ($($name:ident,)*) => {
        /// The functions in the order in which the table holds them; `Function::X` is `PJRT_X`.
        #[allow(non_camel_case_types, missing_docs)]
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[repr(usize)]
        pub enum Function {
            $($name,)*
        }

        impl Function {
            /// All functions.
            pub const ALL: &[Function] = &[$(Function::$name,)*];

            /// Returns the name in the header.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Function::$name => concat!("PJRT_", stringify!($name)),)*
                }
            }
        }
    };
}

functions! {
    Error_Destroy,
    Error_Message,
    Error_GetCode,
    Plugin_Initialize,
    Plugin_Attributes,
    Event_Destroy,
    Event_IsReady,
    Event_Error,
    Event_Await,
    Event_OnReady,
    Client_Create,
    Client_Destroy,
    Client_PlatformName,
    Client_ProcessIndex,
    Client_PlatformVersion,
    Client_Devices,
    Client_AddressableDevices,
    Client_LookupDevice,
    Client_LookupAddressableDevice,
    Client_AddressableMemories,
    Client_Compile,
    Client_DefaultDeviceAssignment,
    Client_BufferFromHostBuffer,
    DeviceDescription_Id,
    DeviceDescription_ProcessIndex,
    DeviceDescription_Attributes,
    DeviceDescription_Kind,
    DeviceDescription_DebugString,
    DeviceDescription_ToString,
    Device_GetDescription,
    Device_IsAddressable,
    Device_LocalHardwareId,
    Device_AddressableMemories,
    Device_DefaultMemory,
    Device_MemoryStats,
    Memory_Id,
    Memory_Kind,
    Memory_DebugString,
    Memory_ToString,
    Memory_AddressableByDevices,
    Executable_Destroy,
    Executable_Name,
    Executable_NumReplicas,
    Executable_NumPartitions,
    Executable_NumOutputs,
    Executable_SizeOfGeneratedCodeInBytes,
    Executable_GetCostAnalysis,
    Executable_OutputMemoryKinds,
    Executable_OptimizedProgram,
    Executable_Serialize,
    LoadedExecutable_Destroy,
    LoadedExecutable_GetExecutable,
    LoadedExecutable_AddressableDevices,
    LoadedExecutable_Delete,
    LoadedExecutable_IsDeleted,
    LoadedExecutable_Execute,
    Executable_DeserializeAndLoad,
    LoadedExecutable_Fingerprint,
    Buffer_Destroy,
    Buffer_ElementType,
    Buffer_Dimensions,
    Buffer_UnpaddedDimensions,
    Buffer_DynamicDimensionIndices,
    Buffer_GetMemoryLayout,
    Buffer_OnDeviceSizeInBytes,
    Buffer_Device,
    Buffer_Memory,
    Buffer_Delete,
    Buffer_IsDeleted,
    Buffer_CopyToDevice,
    Buffer_ToHostBuffer,
    Buffer_IsOnCpu,
    Buffer_ReadyEvent,
    Buffer_UnsafePointer,
    Buffer_IncreaseExternalReferenceCount,
    Buffer_DecreaseExternalReferenceCount,
    Buffer_OpaqueDeviceMemoryDataPointer,
    CopyToDeviceStream_Destroy,
    CopyToDeviceStream_AddChunk,
    CopyToDeviceStream_TotalBytes,
    CopyToDeviceStream_GranuleSize,
    CopyToDeviceStream_CurrentBytes,
    TopologyDescription_Create,
    TopologyDescription_Destroy,
    TopologyDescription_PlatformName,
    TopologyDescription_PlatformVersion,
    TopologyDescription_GetDeviceDescriptions,
    TopologyDescription_Serialize,
    TopologyDescription_Attributes,
    Compile,
    Executable_OutputElementTypes,
    Executable_OutputDimensions,
    Buffer_CopyToMemory,
    Client_CreateViewOfDeviceBuffer,
    Executable_Fingerprint,
    Client_TopologyDescription,
    Executable_GetCompiledMemoryStats,
    Memory_Kind_Id,
    ExecuteContext_Create,
    ExecuteContext_Destroy,
    Buffer_CopyRawToHost,
    AsyncHostToDeviceTransferManager_Destroy,
    AsyncHostToDeviceTransferManager_TransferData,
    Client_CreateBuffersForAsyncHostToDevice,
    AsyncHostToDeviceTransferManager_RetrieveBuffer,
    AsyncHostToDeviceTransferManager_Device,
    AsyncHostToDeviceTransferManager_BufferCount,
    AsyncHostToDeviceTransferManager_BufferSize,
    AsyncHostToDeviceTransferManager_SetBufferError,
    AsyncHostToDeviceTransferManager_AddMetadata,
    Client_DmaMap,
    Client_DmaUnmap,
    Client_CreateUninitializedBuffer,
    Client_UpdateGlobalProcessInfo,
    TopologyDescription_Deserialize,
    Client_CreateAliasBuffer,
    Client_FulfillAliasBuffer,
    LoadedExecutable_GetDeviceAssignment,
}

/// `PJRT_Api`, which `GetPjrtApi` returns. The number of entries follows from `struct_size`.
#[repr(C)]
pub struct Table {
    /// Bytes of the table that the plugin has.
    pub struct_size: usize,
    /// Extensions; not used.
    pub extension_start: *mut ExtensionBase,
    /// The plugin's version of the API.
    pub version: Version,
    /// The functions.
    pub functions: [Entry; Function::ALL.len()],
}

/// `PJRT_Api_Version`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Version {
    /// Bytes of this struct.
    pub struct_size: usize,
    /// Extensions; not used.
    pub extension_start: *mut ExtensionBase,
    /// Changes with every incompatible change.
    pub major: c_int,
    /// Grows with every addition.
    pub minor: c_int,
}

impl Table {
    /// Returns the offset of a function in the table, in bytes.
    pub const fn offset(function: Function) -> usize {
        offset_of!(Table, functions) + function as usize * size_of::<Entry>()
    }
}

/// The layout of a struct, for comparison with the header.
#[derive(Clone, Debug)]
pub struct Layout {
    /// The name in the header.
    pub name: &'static str,
    /// The end of the last field, which is the value of `struct_size`.
    pub size: usize,
    /// Names and offsets of the fields.
    pub fields: Vec<(&'static str, usize)>,
}
