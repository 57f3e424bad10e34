/* MLX behind a C interface: arrays as owned handles, errors as values, no exception crosses.
 *
 * A library with this interface has one symbol, rlx_mlx_table, which returns the table of all functions. Functions that return a status
 * return RLX_OK, or a kind of error; last_error() on the same thread then has the message, and results behind `out` are not written. The
 * caller owns handles that are returned, and frees each once. Handles that are passed in stay the caller's.
 *
 * Any change of the interface changes RLX_MLX_ABI, which lets a program check a library that was built separately. */
#ifndef RLX_MLX_H
#define RLX_MLX_H

#include <stddef.h>
#include <stdint.h>

#define RLX_MLX_ABI 3

#ifdef __cplusplus
extern "C" {
#endif

enum { RLX_OK = 0, RLX_FAILED = 1, RLX_OUT_OF_MEMORY = 2 };

/* Element types. */
enum {
  RLX_BOOL,
  RLX_U8,
  RLX_U16,
  RLX_U32,
  RLX_U64,
  RLX_I8,
  RLX_I16,
  RLX_I32,
  RLX_I64,
  RLX_F16,
  RLX_F32,
  RLX_F64,
  RLX_BF16,
  RLX_C64,
};

/* Kinds of devices. */
enum { RLX_CPU, RLX_GPU };

/* Elementwise functions of one array. */
enum {
  RLX_ABS,
  RLX_NEGATIVE,
  RLX_SIGN,
  RLX_FLOOR,
  RLX_CEIL,
  RLX_ROUND,
  RLX_TRUNC,
  RLX_EXP,
  RLX_EXPM1,
  RLX_LOG,
  RLX_LOG1P,
  RLX_SQRT,
  RLX_RSQRT,
  RLX_SIN,
  RLX_COS,
  RLX_TAN,
  RLX_ARCSIN,
  RLX_ARCCOS,
  RLX_ARCTAN,
  RLX_SINH,
  RLX_COSH,
  RLX_TANH,
  RLX_ARCSINH,
  RLX_ARCCOSH,
  RLX_ARCTANH,
  RLX_SIGMOID,
  RLX_ERF,
  RLX_ERFINV,
  RLX_ISNAN,
  RLX_ISFINITE,
  RLX_LOGICAL_NOT,
  RLX_BITWISE_INVERT,
  RLX_REAL,
  RLX_IMAG,
  RLX_CONJUGATE,
  RLX_COPY,
  RLX_CONTIGUOUS,
};

/* Elementwise functions of two arrays that broadcast against each other, and products of matrices. */
enum {
  RLX_ADD,
  RLX_SUBTRACT,
  RLX_MULTIPLY,
  RLX_DIVIDE,
  RLX_FLOOR_DIVIDE,
  RLX_REMAINDER,
  RLX_POWER,
  RLX_MAXIMUM,
  RLX_MINIMUM,
  RLX_ARCTAN2,
  RLX_LOGADDEXP,
  RLX_EQUAL,
  RLX_NOT_EQUAL,
  RLX_LESS,
  RLX_LESS_EQUAL,
  RLX_GREATER,
  RLX_GREATER_EQUAL,
  RLX_LOGICAL_AND,
  RLX_LOGICAL_OR,
  RLX_BITWISE_AND,
  RLX_BITWISE_OR,
  RLX_BITWISE_XOR,
  RLX_LEFT_SHIFT,
  RLX_RIGHT_SHIFT,
  RLX_MATMUL,
};

/* Reductions, running reductions and combiners of scatters. */
enum {
  RLX_SUM,
  RLX_PROD,
  RLX_MAX,
  RLX_MIN,
  RLX_ALL,
  RLX_ANY,
  RLX_LOGSUMEXP,
  RLX_ARGMAX,
  RLX_ARGMIN,
  RLX_SET,
};

/* Fourier transforms. */
enum { RLX_FFT, RLX_IFFT, RLX_RFFT, RLX_IRFFT };

/* Factorizations of the last two axes, on the CPU. */
enum { RLX_CHOLESKY_LOWER, RLX_CHOLESKY_UPPER, RLX_QR, RLX_SVD, RLX_EIGH_LOWER, RLX_EIGH_UPPER, RLX_LU };

typedef struct rlx_array_s* rlx_array;
typedef struct rlx_function_s* rlx_function;

typedef struct {
  int32_t index;
  int32_t kind;
  int32_t ordinal;
} rlx_stream;

typedef struct {
  const int32_t* data;
  size_t len;
} rlx_ints;

/* Makes the results of a compiled function: handles to at most `capacity` of them. Returns their number, or -1 on failure. */
typedef int64_t (*rlx_callback)(
    void* context, const rlx_array* inputs, size_t n, rlx_array* outputs, size_t capacity);

typedef struct {
  uint64_t abi;
  /* The size of this table in bytes. */
  uint64_t bytes;
  /* The version of MLX that the library was built for, as text. */
  const char* built_for;

  /* ---- runtime */
  const char* (*last_error)(void);
  const char* (*version)(void);
  int32_t (*device_count)(int32_t kind, int32_t* out);
  /* A line about the device, truncated to `capacity` including its terminating zero, and its memory in bytes, or 0 if unknown. */
  int32_t (*device_info)(int32_t kind, int32_t ordinal, char* text, size_t capacity, uint64_t* memory);
  int32_t (*stream_new)(int32_t kind, int32_t ordinal, rlx_stream* out);
  int32_t (*stream_wait)(rlx_stream s);
  int32_t (*memory_use)(uint64_t* active, uint64_t* peak, uint64_t* cached);
  /* Set limits of the process, and return the previous ones. */
  int32_t (*set_memory_limit)(uint64_t bytes, uint64_t* before);
  int32_t (*set_cache_limit)(uint64_t bytes, uint64_t* before);
  int32_t (*set_wired_limit)(uint64_t bytes);
  int32_t (*clear_cache)(void);
  /* Whether compiled functions have their own kernels, which are compiled at run time. */
  int32_t (*set_fusing)(int32_t on);

  /* ---- arrays */
  int32_t (*array_from)(const void* data, rlx_ints dims, int32_t dtype, rlx_array* out);
  /* An array over the caller's memory. Calls `drop` when nothing needs it any more. The memory may also be copied immediately. */
  int32_t (*array_over)(
      void* data, rlx_ints dims, int32_t dtype, void (*drop)(void*), void* context, rlx_array* out);
  int32_t (*array_clone)(rlx_array a, rlx_array* out);
  void (*array_free)(rlx_array a);
  int32_t (*array_dtype)(rlx_array a);
  rlx_ints (*array_dims)(rlx_array a);
  /* Computes arrays, and waits for them. */
  int32_t (*eval)(const rlx_array* arrays, size_t n);
  /* Computes arrays while the caller continues. */
  int32_t (*async_eval)(const rlx_array* arrays, size_t n);
  /* Waits for an array that is computed or in progress, and copies its elements in row-major order. */
  int32_t (*array_read)(rlx_array a, void* into, size_t bytes);
  /* Copies the elements of an array if it is computed and stored in row-major order, and returns whether it is. Does not wait. */
  int32_t (*array_ready)(rlx_array a, void* into, size_t bytes, int32_t* ready);

  /* ---- compiled functions */
  int32_t (*function_compile)(
      rlx_callback callback, void* context, void (*drop)(void*), int32_t shapeless, rlx_function* out);
  int32_t (*function_call)(
      rlx_function f, const rlx_array* inputs, size_t n, rlx_array* outputs, size_t capacity, size_t* count);
  void (*function_free)(rlx_function f);

  /* ---- elementwise */
  int32_t (*unary)(int32_t code, rlx_array a, rlx_stream s, rlx_array* out);
  int32_t (*binary)(int32_t code, rlx_array a, rlx_array b, rlx_stream s, rlx_array* out);
  int32_t (*select)(rlx_array condition, rlx_array a, rlx_array b, rlx_stream s, rlx_array* out);
  int32_t (*astype)(rlx_array a, int32_t dtype, rlx_stream s, rlx_array* out);
  int32_t (*view)(rlx_array a, int32_t dtype, rlx_stream s, rlx_array* out);

  /* ---- shapes */
  int32_t (*arange)(int64_t start, int64_t stop, int32_t dtype, rlx_stream s, rlx_array* out);
  int32_t (*full)(rlx_ints dims, rlx_array value, rlx_stream s, rlx_array* out);
  int32_t (*reshape)(rlx_array a, rlx_ints dims, rlx_stream s, rlx_array* out);
  int32_t (*transpose)(rlx_array a, rlx_ints axes, rlx_stream s, rlx_array* out);
  int32_t (*broadcast_to)(rlx_array a, rlx_ints dims, rlx_stream s, rlx_array* out);
  /* A view whose elements may overlap; strides and offset are in elements of the row-major array. */
  int32_t (*as_strided)(
      rlx_array a, rlx_ints dims, const int64_t* strides, size_t offset, rlx_stream s, rlx_array* out);
  int32_t (*slice)(
      rlx_array a, rlx_ints starts, rlx_ints stops, rlx_ints strides, rlx_stream s, rlx_array* out);
  int32_t (*slice_at)(
      rlx_array a, rlx_array starts, rlx_ints axes, rlx_ints sizes, rlx_stream s, rlx_array* out);
  int32_t (*slice_update)(
      rlx_array a,
      rlx_array update,
      rlx_ints starts,
      rlx_ints stops,
      rlx_ints strides,
      rlx_stream s,
      rlx_array* out);
  int32_t (*slice_update_at)(
      rlx_array a, rlx_array update, rlx_array starts, rlx_ints axes, rlx_stream s, rlx_array* out);
  int32_t (*pad)(rlx_array a, rlx_ints low, rlx_ints high, rlx_array value, rlx_stream s, rlx_array* out);
  int32_t (*concatenate)(const rlx_array* arrays, size_t n, int32_t axis, rlx_stream s, rlx_array* out);

  /* ---- indices: all must be in range, because MLX does not check them */
  int32_t (*take)(rlx_array a, rlx_array indices, int32_t axis, rlx_stream s, rlx_array* out);
  int32_t (*take_along_axis)(rlx_array a, rlx_array indices, int32_t axis, rlx_stream s, rlx_array* out);
  int32_t (*gather)(
      rlx_array a,
      const rlx_array* indices,
      size_t n,
      rlx_ints axes,
      rlx_ints sizes,
      rlx_stream s,
      rlx_array* out);
  int32_t (*scatter)(
      int32_t code,
      rlx_array a,
      const rlx_array* indices,
      size_t n,
      rlx_array updates,
      rlx_ints axes,
      rlx_stream s,
      rlx_array* out);

  /* ---- reductions and sorts */
  int32_t (*reduce)(int32_t code, rlx_array a, rlx_ints axes, int32_t keep, rlx_stream s, rlx_array* out);
  int32_t (*cumulative)(
      int32_t code, rlx_array a, int32_t axis, int32_t reverse, int32_t inclusive, rlx_stream s, rlx_array* out);
  int32_t (*softmax)(rlx_array a, int32_t axis, int32_t precise, rlx_stream s, rlx_array* out);
  int32_t (*sort)(rlx_array a, int32_t axis, rlx_stream s, rlx_array* out);
  int32_t (*argsort)(rlx_array a, int32_t axis, rlx_stream s, rlx_array* out);

  /* ---- contractions */
  int32_t (*convolution)(
      rlx_array x,
      rlx_array kernel,
      rlx_ints strides,
      rlx_ints low,
      rlx_ints high,
      rlx_ints kernel_dilation,
      rlx_ints input_dilation,
      int32_t groups,
      int32_t flip,
      rlx_stream s,
      rlx_array* out);
  /* Products of matrices of a with matrices of b selected by indices; `sorted` says that the indices are in order. */
  int32_t (*gather_mm)(
      rlx_array a, rlx_array b, rlx_array rhs_indices, int32_t sorted, rlx_stream s, rlx_array* out);
  /* Products with packed weights, with rows along the contracted axis; null for no biases or no indices. */
  int32_t (*quantized_matmul)(
      rlx_array x,
      rlx_array w,
      rlx_array scales,
      rlx_array biases,
      int32_t group_size,
      int32_t bits,
      const char* mode,
      rlx_stream s,
      rlx_array* out);
  int32_t (*gather_qmm)(
      rlx_array x,
      rlx_array w,
      rlx_array scales,
      rlx_array biases,
      rlx_array rhs_indices,
      int32_t group_size,
      int32_t bits,
      const char* mode,
      int32_t sorted,
      rlx_stream s,
      rlx_array* out);

  /* ---- fused operations; null for an omitted operand */
  int32_t (*rms_norm)(rlx_array x, rlx_array weight, float eps, rlx_stream s, rlx_array* out);
  int32_t (*layer_norm)(
      rlx_array x, rlx_array weight, rlx_array bias, float eps, rlx_stream s, rlx_array* out);
  int32_t (*rope)(
      rlx_array x,
      int32_t width,
      int32_t traditional,
      rlx_array start,
      rlx_array inverse_frequencies,
      rlx_stream s,
      rlx_array* out);
  int32_t (*attention)(
      rlx_array q,
      rlx_array k,
      rlx_array v,
      float scale,
      int32_t causal,
      rlx_array mask,
      rlx_stream s,
      rlx_array* out);

  /* ---- Fourier transforms and linear algebra */
  int32_t (*fft)(int32_t code, rlx_array a, rlx_ints lengths, rlx_ints axes, rlx_stream s, rlx_array* out);
  int32_t (*factorize)(
      int32_t code, rlx_array a, rlx_stream s, rlx_array* outputs, size_t capacity, size_t* count);
} rlx_mlx_table_s;

const rlx_mlx_table_s* rlx_mlx_table(void);

#ifdef __cplusplus
}
#endif

#endif
