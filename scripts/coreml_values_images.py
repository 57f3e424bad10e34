"""Defines what operations of ML Programs on images and indices compute, with PyTorch and NumPy, from their documentation. Without
PyTorch, the operations in `TORCH` have no values."""

import numpy as np

try:
    import torch
    import torch.nn.functional as F
except ImportError:
    torch = None


def tensor(var):
    return torch.from_numpy(np.ascontiguousarray(var.val).astype(np.float64))


def like(op, y):
    return np.asarray(y).astype(op.x.val.dtype)


def conv_transpose(op):
    n = op.x.val.ndim - 2
    pad = [int(p) for p in op.pad.val] if op.pad_type.val == "custom" else [0] * 2 * n
    run = [F.conv_transpose1d, F.conv_transpose2d, F.conv_transpose3d][n - 1]
    bias = None if op.bias is None else tensor(op.bias)
    y = run(tensor(op.x), tensor(op.weight), bias, [int(s) for s in op.strides.val], groups=int(op.groups.val), dilation=[int(d) for d in op.dilations.val])
    for axis in range(n):
        low, high = pad[2 * axis : 2 * axis + 2]
        y = y.narrow(axis + 2, low, y.shape[axis + 2] - low - high)
    return like(op, y.numpy())


def moved(op, size, to_depth):
    """TensorFlow's definition for NCHW: the channel of an element in a block is (row, column, channel)."""
    x = op.x.val
    n, c, h, w = x.shape
    if to_depth:
        y = np.empty((n, c * size * size, h // size, w // size), x.dtype)
        for row in range(size):
            for column in range(size):
                at = (row * size + column) * c
                y[:, at : at + c] = x[:, :, row::size, column::size]
        return y
    c //= size * size
    y = np.empty((n, c, h * size, w * size), x.dtype)
    for row in range(size):
        for column in range(size):
            at = (row * size + column) * c
            y[:, :, row::size, column::size] = x[:, at : at + c]
    return y


def space_to_batch(op):
    (a, b), pads = op.block_shape.val, op.paddings.val
    x = np.pad(op.x.val, [(0, 0), (0, 0), *map(tuple, pads)])
    return np.concatenate([x[:, :, row::a, column::b] for row in range(a) for column in range(b)])


def batch_to_space(op):
    (a, b), crops = op.block_shape.val, op.crops.val
    n, c, h, w = op.x.val.shape
    n //= a * b
    y = np.empty((n, c, h * a, w * b), op.x.val.dtype)
    for row in range(a):
        for column in range(b):
            at = (row * b + column) * n
            y[:, :, row::a, column::b] = op.x.val[at : at + n]
    (top, bottom), (left, right) = crops
    return y[:, :, top : h * a - bottom, left : w * b - right]


def crop(op):
    (top, bottom), (left, right) = op.crop_height.val, op.crop_width.val
    h, w = op.x.val.shape[-2:]
    return op.x.val[..., top : h - bottom, left : w - right]


def places(mode, size, count):
    i = np.arange(count, dtype=np.float64)
    if mode == "DEFAULT":
        at = i * size / count
    elif mode in ("STRICT_ALIGN_CORNERS", "ALIGN_CORNERS"):
        at = i * (size - 1) / max(count - 1, 1)
    elif mode == "UNALIGN_CORNERS":
        at = (i + 0.5) * size / count - 0.5
    else:
        at = i * max(size - 1, 1) / count + 0.5 * max(size - 1, 1) / count
    return np.clip(at, 0, size - 1)


def linear(x, axis, mode, count):
    at = places(mode, x.shape[axis], count)
    low = np.floor(at).astype(int)
    high = np.minimum(low + 1, x.shape[axis] - 1)
    shape = [1] * x.ndim
    shape[axis] = count
    rest = (at - low).reshape(shape)
    return np.take(x, low, axis) * (1 - rest) + np.take(x, high, axis) * rest


def resized(op, sizes, mode):
    x = op.x.val.astype(np.float64)
    if mode in ("STRICT_ALIGN_CORNERS", "UNALIGN_CORNERS") and len(sizes) in (2, 3) and x.ndim == 4:
        whole = torch.from_numpy(x) if len(sizes) == 2 else torch.from_numpy(x)[:, None]
        kind = "bilinear" if len(sizes) == 2 else "trilinear"
        y = F.interpolate(whole, size=[int(s) for s in sizes], mode=kind, align_corners=mode == "STRICT_ALIGN_CORNERS").numpy()
        return like(op, y if len(sizes) == 2 else y[:, 0])
    for i, count in enumerate(sizes):
        x = linear(x, x.ndim - len(sizes) + i, mode, int(count))
    return like(op, x)


def nearest(op, sizes):
    if len(sizes) == 2 and op.x.val.ndim == 4:
        return like(op, F.interpolate(tensor(op.x), size=[int(s) for s in sizes], mode="nearest").numpy())
    x = op.x.val
    for i, count in enumerate(sizes):
        axis = x.ndim - len(sizes) + i
        x = np.take(x, np.arange(int(count)) * x.shape[axis] // int(count), axis)
    return x


def factors(op):
    return [int(np.floor(size * float(f.val))) for size, f in zip(op.x.val.shape[-2:], (op.scale_factor_height, op.scale_factor_width))]


def target(op):
    return [op.target_size_height.val, op.target_size_width.val]


def resize(op):
    sizes = op.shape.val[len(op.shape.val) - int(op.resized_dims.val) :]
    return nearest(op, sizes) if op.interpolation_mode.val == "NEAREST_NEIGHBOR" else resized(op, sizes, op.sampling_mode.val)


def upsample_bilinear(op):
    return resized(op, factors(op), "STRICT_ALIGN_CORNERS" if op.align_corners.val else "UNALIGN_CORNERS")


PADDING = {"constant": "zeros", "border": "border", "reflection": "reflection"}


def resample(op):
    grid, (h, w) = tensor(op.coordinates), op.x.val.shape[-2:]
    aligned = bool(op.align_corners.val)
    if op.coordinates_mode.val == "unnormalized":
        grid, aligned = 2 * grid / torch.tensor([w - 1.0, h - 1.0]) - 1, True
    elif op.coordinates_mode.val == "normalized_zero_to_one":
        grid = 2 * grid - 1
    y = F.grid_sample(tensor(op.x), grid, mode=op.sampling_mode.val, padding_mode=PADDING[op.padding_mode.val], align_corners=aligned)
    return like(op, y.numpy())


def affine(op):
    x = tensor(op.x)
    matrix = tensor(op.transform_matrix).reshape(-1, 2, 3).expand(x.shape[0], 2, 3)
    grid = F.affine_grid(matrix, [*x.shape[:2], int(op.output_height.val), int(op.output_width.val)], align_corners=True)
    return like(op, F.grid_sample(x, grid, padding_mode=PADDING[op.padding_mode.val], align_corners=True).numpy())


def local_response_norm(op):
    return like(op, F.local_response_norm(tensor(op.x), int(op.size.val), float(op.alpha.val), float(op.beta.val), float(op.k.val)).numpy())


def l2_pool(op):
    pad = [int(p) for p in op.pad.val]
    x = np.pad(op.x.val, [(0, 0), (0, 0), *((pad[2 * i], pad[2 * i + 1]) for i in range(len(pad) // 2))])
    window = np.lib.stride_tricks.sliding_window_view(x.astype(np.float64), op.kernel_sizes.val, axis=tuple(range(2, x.ndim)))
    window = window[(slice(None), slice(None), *(slice(None, None, int(s)) for s in op.strides.val))]
    return like(op, np.sqrt((window**2).sum(tuple(range(x.ndim, window.ndim)))))


def sliding_windows(op):
    axis, size, stride = int(op.axis.val), int(op.size.val), int(op.stride.val)
    starts = range(0, op.x.val.shape[axis] - size + 1, stride)
    return np.stack([np.take(op.x.val, range(s, s + size), axis) for s in starts], axis)


def reverse_sequence(op):
    y, seq, batch = op.x.val.copy(), int(op.seq_axis.val), int(op.batch_axis.val)
    for i, n in enumerate(op.lengths.val):
        at = [slice(None)] * y.ndim
        at[batch], at[seq] = slice(i, i + 1), slice(0, int(n))
        y[tuple(at)] = np.flip(op.x.val[tuple(at)], seq)
    return y


COMBINE = {"add": np.add, "mul": np.multiply, "min": np.minimum, "max": np.maximum}


def put(op, at):
    y = op.data.val.copy()
    if op.mode.val == "update":
        y[at] = op.updates.val
    else:
        COMBINE[op.mode.val].at(y, at, op.updates.val)
    return y


def scatter_nd(op):
    return put(op, tuple(np.moveaxis(op.indices.val, -1, 0)))


def scatter_along_axis(op):
    at = list(np.ogrid[tuple(slice(n) for n in op.indices.val.shape)])
    at[int(op.axis.val)] = op.indices.val
    return put(op, tuple(at))


def one_hot(op):
    y = np.full(op.indices.val.shape + (int(op.one_hot_vector_size.val),), op.off_value.val)
    np.put_along_axis(y, op.indices.val[..., None], op.on_value.val, -1)
    return np.moveaxis(y, -1, int(op.axis.val))


def dequantize(op):
    x = op.input.val.astype(np.float64)
    shape = [1] * x.ndim
    if op.axis is not None and op.axis.val is not None:
        shape[int(op.axis.val)] = -1
    along = lambda var: np.reshape(var.val, shape) if np.ndim(var.val) else var.val
    if op.zero_point is not None:
        x = x - along(op.zero_point).astype(np.float64)
    return (x * along(op.scale)).astype(np.asarray(op.scale.val).dtype)


# The operations computed with PyTorch.
TORCH = {
    "conv_transpose": (conv_transpose, ["x", "weight", "bias"]),
    "pixel_shuffle": (lambda op: like(op, F.pixel_shuffle(tensor(op.x), int(op.upscale_factor.val)).numpy()), ["x"]),
    "pixel_unshuffle": (lambda op: like(op, F.pixel_unshuffle(tensor(op.x), int(op.downscale_factor.val)).numpy()), ["x"]),
    "upsample_nearest_neighbor": (lambda op: nearest(op, factors(op)), ["x"]),
    "resize_nearest_neighbor": (lambda op: nearest(op, target(op)), ["x"]),
    "upsample_bilinear": (upsample_bilinear, ["x"]),
    "resize_bilinear": (lambda op: resized(op, target(op), op.sampling_mode.val), ["x"]),
    "resize": (resize, ["x"]),
    "resample": (resample, ["x", "coordinates"]),
    "affine": (affine, ["x", "transform_matrix"]),
    "local_response_norm": (local_response_norm, ["x"]),
}
VALUES = {
    "space_to_depth": (lambda op: moved(op, int(op.block_size.val), True), ["x"]),
    "depth_to_space": (lambda op: moved(op, int(op.block_size.val), False), ["x"]),
    "space_to_batch": (space_to_batch, ["x"]),
    "batch_to_space": (batch_to_space, ["x"]),
    "crop": (crop, ["x"]),
    "l2_pool": (l2_pool, ["x"]),
    "sliding_windows": (sliding_windows, ["x"]),
    "scatter_nd": (scatter_nd, ["data", "indices", "updates"]),
    "one_hot": (one_hot, ["indices"]),
    "dequantize": (dequantize, ["input"]),
} | (TORCH if torch else {})
# Replaces the value inference of coremltools, which never combines existing elements with updates, and has no value for the second yet.
AGAIN = {"reverse_sequence": (reverse_sequence, ["x", "lengths"]), "scatter_along_axis": (scatter_along_axis, ["data", "indices", "updates"])}
