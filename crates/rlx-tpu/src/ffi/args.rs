//! The argument structs of the C API, with the header's names.

use super::functions::{Function, Layout};
use std::ffi::{c_char, c_int, c_void};
use std::mem::offset_of;

/// A struct of arguments, and the function that takes it.
///
/// # Safety
/// The struct must have the layout of the arguments of [`FUNCTION`](Args::FUNCTION), starting with `struct_size`.
pub unsafe trait Args {
    /// The function.
    const FUNCTION: Function;
}

macro_rules! opaque {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        $(
            $(#[$doc])*
            #[repr(C)]
            pub struct $name {
                _opaque: [u8; 0],
            }
        )*
    };
}

opaque! {
    /// `PJRT_Extension_Base`: the start of a list of extensions.
    ExtensionBase,
    /// `PJRT_Error`.
    RawError,
    /// `PJRT_Event`.
    RawEvent,
    /// `PJRT_Client`.
    RawClient,
    /// `PJRT_Device`.
    RawDevice,
    /// `PJRT_DeviceDescription`.
    RawDeviceDescription,
    /// `PJRT_Memory`.
    RawMemory,
    /// `PJRT_Executable`: compiled, and not loaded.
    RawExecutable,
    /// `PJRT_LoadedExecutable`.
    RawLoadedExecutable,
    /// `PJRT_Buffer`.
    RawBuffer,
    /// `PJRT_TopologyDescription`.
    RawTopology,
    /// `PJRT_SerializedExecutable`: the owner of serialized bytes.
    RawSerialized,
}

/// Returns the end of the last field.
const fn end_of(ends: &[usize]) -> usize {
    ends[ends.len() - 1]
}

macro_rules! declare {
    ($(#[$doc:meta])* $name:ident, $c:expr, { $($field:ident: $type:ty,)* }) => {
        $(#[$doc])*
        #[allow(missing_docs)]
        #[repr(C)]
        pub struct $name {
            pub struct_size: usize,
            pub extension_start: *mut ExtensionBase,
            $(pub $field: $type,)*
        }

        impl $name {
            /// The end of the last field, which is the value of `struct_size`.
            pub const SIZE: usize = end_of(&[
                offset_of!($name, extension_start) + size_of::<*mut ExtensionBase>(),
                $(offset_of!($name, $field) + size_of::<$type>(),)*
            ]);

            /// Creates the struct with all bytes zero except the size.
            pub fn zeroed() -> Self {
                // SAFETY: the fields are integers, booleans, pointers, optional functions and structs of these. All-zero bytes are
                // a valid value of each.
                let mut zeroed: Self = unsafe { std::mem::zeroed() };
                zeroed.struct_size = Self::SIZE;
                zeroed
            }

            fn layout() -> Layout {
                let fields = vec![
                    ("struct_size", offset_of!($name, struct_size)),
                    ("extension_start", offset_of!($name, extension_start)),
                    $((stringify!($field), offset_of!($name, $field)),)*
                ];
                Layout { name: $c, size: Self::SIZE, fields }
            }
        }
    };
}

macro_rules! structs {
    ($($(#[$doc:meta])* $name:ident = $c:ident $body:tt)*) => {
        $(declare! { $(#[$doc])* $name, concat!("PJRT_", stringify!($c)), $body })*

        /// The layouts of the structs that are not the arguments of a function.
        fn plain_layouts() -> Vec<Layout> {
            vec![$($name::layout(),)*]
        }
    };
}

macro_rules! args {
    ($($(#[$doc:meta])* $name:ident = $c:ident $body:tt)*) => {
        $(
            declare! { $(#[$doc])* $name, concat!("PJRT_", stringify!($c), "_Args"), $body }

            // SAFETY: the fields are those of the header, in its order; a test compares every offset.
            unsafe impl Args for $name {
                const FUNCTION: Function = Function::$c;
            }
        )*

        /// The layout of every struct.
        pub fn layouts() -> Vec<Layout> {
            let mut all = plain_layouts();
            all.extend([$($name::layout(),)*]);
            all
        }
    };
}

structs! {
    /// A program to compile.
    Program = Program {
        code: *mut c_char,
        code_size: usize,
        format: *const c_char,
        format_size: usize,
    }
    /// How to execute.
    ExecuteOptions = ExecuteOptions {
        send_callbacks: *mut c_void,
        recv_callbacks: *mut c_void,
        num_send_ops: usize,
        num_recv_ops: usize,
        launch_id: c_int,
        non_donatable_input_indices: *const i64,
        num_non_donatable_input_indices: usize,
        context: *mut c_void,
        call_location: *const c_char,
        num_tasks: usize,
        task_ids: *mut c_int,
        incarnation_ids: *mut i64,
    }
    /// A dense layout of an array in memory, by the order of its dimensions.
    TiledLayout = Buffer_MemoryLayout_Tiled {
        minor_to_major: *const i64,
        minor_to_major_size: usize,
        tile_dims: *const i64,
        tile_dim_sizes: *const usize,
        num_tiles: usize,
    }
    /// A layout of an array in memory. `tiled` is the longer alternative of a union, and the one that is used.
    MemoryLayout = Buffer_MemoryLayout {
        tiled: TiledLayout,
        r#type: c_int,
    }
    /// A name and a value. `value` holds 8 bytes: a pointer, an integer, or fewer bytes of a float or a boolean.
    NamedValue = NamedValue {
        name: *const c_char,
        name_size: usize,
        r#type: c_int,
        int64_value: i64,
        value_size: usize,
    }
}

args! {
    /// Frees an error.
    ErrorDestroy = Error_Destroy { error: *mut RawError, }
    /// The message of an error; lives as long as the error.
    ErrorMessage = Error_Message {
        error: *const RawError,
        message: *const c_char,
        message_size: usize,
    }
    /// The code of an error.
    ErrorGetCode = Error_GetCode { error: *const RawError, code: c_int, }
    /// Prepares the plugin. Called once, before anything else.
    PluginInitialize = Plugin_Initialize {}
    /// Returns the plugin's attributes, which live as long as the process.
    PluginAttributes = Plugin_Attributes {
        attributes: *const NamedValue,
        num_attributes: usize,
    }
    /// Frees an event.
    EventDestroy = Event_Destroy { event: *mut RawEvent, }
    /// Whether the work of an event is done.
    EventIsReady = Event_IsReady { event: *mut RawEvent, is_ready: bool, }
    /// Waits for an event, and returns its error.
    EventAwait = Event_Await { event: *mut RawEvent, }
    /// Makes a client.
    ClientCreate = Client_Create {
        create_options: *const NamedValue,
        num_options: usize,
        kv_get_callback: *mut c_void,
        kv_get_user_arg: *mut c_void,
        kv_put_callback: *mut c_void,
        kv_put_user_arg: *mut c_void,
        client: *mut RawClient,
        kv_try_get_callback: *mut c_void,
        kv_try_get_user_arg: *mut c_void,
    }
    /// Frees a client.
    ClientDestroy = Client_Destroy { client: *mut RawClient, }
    /// The platform's name; lives as long as the client.
    ClientPlatformName = Client_PlatformName {
        client: *mut RawClient,
        platform_name: *const c_char,
        platform_name_size: usize,
    }
    /// The platform's version; lives as long as the client.
    ClientPlatformVersion = Client_PlatformVersion {
        client: *mut RawClient,
        platform_version: *const c_char,
        platform_version_size: usize,
    }
    /// The devices that this process can use; they live as long as the client.
    ClientAddressableDevices = Client_AddressableDevices {
        client: *mut RawClient,
        addressable_devices: *const *mut RawDevice,
        num_addressable_devices: usize,
    }
    /// Compiles and loads a program.
    ClientCompile = Client_Compile {
        client: *mut RawClient,
        program: *const Program,
        compile_options: *const c_char,
        compile_options_size: usize,
        executable: *mut RawLoadedExecutable,
    }
    /// Copies an array to a device.
    ClientBufferFromHostBuffer = Client_BufferFromHostBuffer {
        client: *mut RawClient,
        data: *const c_void,
        r#type: c_int,
        dims: *const i64,
        num_dims: usize,
        byte_strides: *const i64,
        num_byte_strides: usize,
        host_buffer_semantics: c_int,
        device: *mut RawDevice,
        memory: *mut RawMemory,
        device_layout: *mut MemoryLayout,
        done_with_host_buffer: *mut RawEvent,
        buffer: *mut RawBuffer,
    }
    /// Returns the description of a device, which lives as long as the device.
    DeviceGetDescription = Device_GetDescription {
        device: *mut RawDevice,
        device_description: *mut RawDeviceDescription,
    }
    /// The number of a device.
    DeviceDescriptionId = DeviceDescription_Id {
        device_description: *mut RawDeviceDescription,
        id: c_int,
    }
    /// The kind of a device, a vendor's name.
    DeviceDescriptionKind = DeviceDescription_Kind {
        device_description: *mut RawDeviceDescription,
        device_kind: *const c_char,
        device_kind_size: usize,
    }
    /// A device in words.
    DeviceDescriptionToString = DeviceDescription_ToString {
        device_description: *mut RawDeviceDescription,
        to_string: *const c_char,
        to_string_size: usize,
    }
    /// The memory of a device.
    DeviceMemoryStats = Device_MemoryStats {
        device: *mut RawDevice,
        bytes_in_use: i64,
        peak_bytes_in_use: i64,
        peak_bytes_in_use_is_set: bool,
        num_allocs: i64,
        num_allocs_is_set: bool,
        largest_alloc_size: i64,
        largest_alloc_size_is_set: bool,
        bytes_limit: i64,
        bytes_limit_is_set: bool,
        bytes_reserved: i64,
        bytes_reserved_is_set: bool,
        peak_bytes_reserved: i64,
        peak_bytes_reserved_is_set: bool,
        bytes_reservable_limit: i64,
        bytes_reservable_limit_is_set: bool,
        largest_free_block_bytes: i64,
        largest_free_block_bytes_is_set: bool,
        pool_bytes: i64,
        pool_bytes_is_set: bool,
        peak_pool_bytes: i64,
        peak_pool_bytes_is_set: bool,
    }
    /// Frees a program that is not loaded.
    ExecutableDestroy = Executable_Destroy { executable: *mut RawExecutable, }
    /// The number of a program's results.
    ExecutableNumOutputs = Executable_NumOutputs {
        executable: *mut RawExecutable,
        num_outputs: usize,
    }
    /// Bytes of machine code.
    ExecutableCodeSize = Executable_SizeOfGeneratedCodeInBytes {
        executable: *mut RawExecutable,
        size_in_bytes: i64,
    }
    /// The compiler's estimate of a run; lives as long as the program.
    ExecutableGetCostAnalysis = Executable_GetCostAnalysis {
        executable: *mut RawExecutable,
        num_properties: usize,
        properties: *const NamedValue,
    }
    /// Memory that a run needs.
    ExecutableMemoryStats = Executable_GetCompiledMemoryStats {
        executable: *mut RawExecutable,
        generated_code_size_in_bytes: i64,
        argument_size_in_bytes: i64,
        output_size_in_bytes: i64,
        alias_size_in_bytes: i64,
        temp_size_in_bytes: i64,
        host_generated_code_size_in_bytes: i64,
        host_argument_size_in_bytes: i64,
        host_output_size_in_bytes: i64,
        host_alias_size_in_bytes: i64,
        host_temp_size_in_bytes: i64,
        peak_memory_in_bytes: i64,
    }
    /// Element types of a program's results; they live as long as the program.
    ExecutableOutputElementTypes = Executable_OutputElementTypes {
        executable: *mut RawExecutable,
        output_types: *const c_int,
        num_output_types: usize,
    }
    /// Sizes of a program's results, one after the other; they live as long as the program.
    ExecutableOutputDimensions = Executable_OutputDimensions {
        executable: *mut RawExecutable,
        num_outputs: usize,
        dims: *const i64,
        dim_sizes: *const usize,
    }
    /// A program as bytes that the same plugin loads again.
    ExecutableSerialize = Executable_Serialize {
        executable: *const RawExecutable,
        serialized_bytes: *const c_char,
        serialized_bytes_size: usize,
        serialized_executable: *mut RawSerialized,
        serialized_executable_deleter: Option<unsafe extern "C" fn(*mut RawSerialized)>,
    }
    /// Frees a loaded program.
    LoadedExecutableDestroy = LoadedExecutable_Destroy { executable: *mut RawLoadedExecutable, }
    /// Returns the compiled program of a loaded one.
    LoadedExecutableGetExecutable = LoadedExecutable_GetExecutable {
        loaded_executable: *mut RawLoadedExecutable,
        executable: *mut RawExecutable,
    }
    /// The devices that a program runs on.
    LoadedExecutableAddressableDevices = LoadedExecutable_AddressableDevices {
        executable: *mut RawLoadedExecutable,
        addressable_devices: *const *mut RawDevice,
        num_addressable_devices: usize,
    }
    /// Runs a program.
    LoadedExecutableExecute = LoadedExecutable_Execute {
        executable: *mut RawLoadedExecutable,
        options: *mut ExecuteOptions,
        argument_lists: *const *const *mut RawBuffer,
        num_devices: usize,
        num_args: usize,
        output_lists: *const *mut *mut RawBuffer,
        device_complete_events: *mut *mut RawEvent,
        execute_device: *mut RawDevice,
    }
    /// Frees an array.
    BufferDestroy = Buffer_Destroy { buffer: *mut RawBuffer, }
    /// Returns whether the memory of an array is gone: freed, or donated to a run that wrote over it.
    BufferIsDeleted = Buffer_IsDeleted { buffer: *mut RawBuffer, is_deleted: bool, }
    /// The element type of an array.
    BufferElementType = Buffer_ElementType { buffer: *mut RawBuffer, r#type: c_int, }
    /// The sizes of an array; they live as long as the array.
    BufferDimensions = Buffer_Dimensions {
        buffer: *mut RawBuffer,
        dims: *const i64,
        num_dims: usize,
    }
    /// Bytes of an array on its device.
    BufferOnDeviceSize = Buffer_OnDeviceSizeInBytes {
        buffer: *mut RawBuffer,
        on_device_size_in_bytes: usize,
    }
    /// Copies an array to the host.
    BufferToHostBuffer = Buffer_ToHostBuffer {
        src: *mut RawBuffer,
        host_layout: *mut MemoryLayout,
        dst: *mut c_void,
        dst_size: usize,
        event: *mut RawEvent,
    }
    /// Describes devices that need not be present.
    TopologyCreate = TopologyDescription_Create {
        topology_name: *const c_char,
        topology_name_size: usize,
        create_options: *const NamedValue,
        num_options: usize,
        topology: *mut RawTopology,
    }
    /// Frees a topology.
    TopologyDestroy = TopologyDescription_Destroy { topology: *mut RawTopology, }
    /// The platform of a topology; lives as long as the topology.
    TopologyPlatformName = TopologyDescription_PlatformName {
        topology: *const RawTopology,
        platform_name: *const c_char,
        platform_name_size: usize,
    }
    /// The devices of a topology; they live as long as the topology.
    TopologyGetDeviceDescriptions = TopologyDescription_GetDeviceDescriptions {
        topology: *const RawTopology,
        descriptions: *const *mut RawDeviceDescription,
        num_descriptions: usize,
    }
    /// Compiles a program for a topology.
    CompileArgs = Compile {
        topology: *const RawTopology,
        program: *const Program,
        compile_options: *const c_char,
        compile_options_size: usize,
        client: *mut RawClient,
        executable: *mut RawExecutable,
    }
}
