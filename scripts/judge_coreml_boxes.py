"""Compares programs with boxes in images, made with coremltools' builder and run by RLX, with NumPy.

    pip install coremltools==9.0 'numpy<2.4'
    cargo build -p rlx-coreml --example run_package
    python scripts/judge_coreml_boxes.py target/debug/examples/run_package

`crop_resize` follows its documentation: boxes between the centers of two elements, sampled as `resize_bilinear` samples whole images.
With aligned corners and normalized coordinates, it is TensorFlow's `crop_and_resize`. `non_maximum_suppression` follows coremltools'
tests: boxes are ranked by their best class, and boxes that overlap a better one (of the same class, if classes are separate) are left
out. The best box always stays.
"""

import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

warnings.filterwarnings("ignore")

import coremltools as ct  # noqa: E402
import numpy as np  # noqa: E402
from coremltools.converters.mil.mil import Builder as mb  # noqa: E402
from coremltools.converters.mil.mil import types  # noqa: E402

TARGETS = {"iOS15": ct.target.iOS15, "iOS16": ct.target.iOS16, "iOS17": ct.target.iOS17, "iOS18": ct.target.iOS18}
KINDS = {65568: np.float32, 65552: np.float16, 131104: np.int32}


def run(binary, folder, build, inputs, target):
    """The outputs of a program, in its order."""
    specs = [mb.TensorSpec(shape=x.shape, dtype=types.int32 if x.dtype == np.int32 else types.fp32) for x in inputs.values()]
    program = mb.program(input_specs=specs, opset_version=TARGETS[target])(build)
    model = ct.convert(program, convert_to="mlprogram", compute_precision=ct.precision.FLOAT32, minimum_deployment_target=TARGETS[target])
    model.save(str(folder / "model.mlpackage"))
    for name, x in inputs.items():
        (folder / f"{name}.in").write_bytes(x.tobytes())
    done = subprocess.run([binary, folder / "model.mlpackage", folder], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr.strip())
    outputs = model.get_spec().description.output
    return [np.frombuffer((folder / f"{o.name}.out").read_bytes(), KINDS[o.type.multiArrayType.dataType]) for o in outputs]


def grid(start, end, count, mode):
    """Positions of samples between two elements."""
    size, i = end - start + 1, np.arange(count)
    if mode == "ALIGN_CORNERS" and count == 1:
        return np.array([start + (end - start) / 2])
    spacing = {
        "STRICT_ALIGN_CORNERS": (size - 1) / max(count - 1, 1), "ALIGN_CORNERS": (size - 1) / max(count - 1, 1),
        "DEFAULT": size / count, "OFFSET_CORNERS": max(1, size - 1) / count, "UNALIGN_CORNERS": size / count,
    }[mode]
    first = {"OFFSET_CORNERS": 0.5 * spacing, "UNALIGN_CORNERS": 0.5 * spacing - 0.5}.get(mode, 0)
    return np.minimum(max(start, end), np.maximum(min(start, end), start + first + i * spacing))


def crop(image, box, sizes, mode, pad):
    """A box of an image `[C, H, W]`."""
    channels, height, width = image.shape
    out = np.full((channels, *sizes), pad, np.float64)
    for i, y in enumerate(grid(box[0], box[2], sizes[0], mode)):
        for j, x in enumerate(grid(box[1], box[3], sizes[1], mode)):
            if 0 <= y <= height - 1 and 0 <= x <= width - 1:
                top, left = int(np.floor(y)), int(np.floor(x))
                low, right = min(top + 1, height - 1), min(left + 1, width - 1)
                a, b = y - top, x - left
                out[:, i, j] = (1 - a) * ((1 - b) * image[:, top, left] + b * image[:, top, right]) + a * ((1 - b) * image[:, low, left] + b * image[:, low, right])
    return out


def crops(binary, folder, target, mode, coordinates, normalized, sizes):
    rng = np.random.default_rng(3)
    # For several images before iOS 17, coremltools infers types for boxes with one image each as if they were for all images.
    older = target in ("iOS15", "iOS16")
    images = rng.normal(size=(1 if older else 2, 3, 9, 12)).astype(np.float32)
    # In eighths, which are exact, by corners with rows first. The last box is partly outside.
    corners = np.array([[1, 2, 6.5, 9.25], [0, 0, 8, 11], [3.125, 1.5, 4, 2.5], [2, 8, 7, 13.5]], np.float32)
    owners = np.array([0, 0, 0, 0] if older else [1, 0, 1, 0], np.int32)
    given = corners[:, [1, 0, 3, 2]] if "WIDTH" in coordinates else corners
    if "CENTER" in coordinates:
        given = np.concatenate([(given[:, :2] + given[:, 2:]) / 2, given[:, 2:] - given[:, :2]], 1)
    if normalized:
        by = np.array([8, 11], np.float32)[[1, 0] if "WIDTH" in coordinates else [0, 1]]
        given = given / np.tile(by, 2)
    scale = 1.0 if normalized else 0.5
    given = (given / scale).astype(np.float32)
    pad = 0.0 if target == "iOS15" else -2.5
    settings = dict(target_height=sizes[0], target_width=sizes[1], normalized_coordinates=normalized, spatial_scale=scale, box_coordinate_mode=coordinates, sampling_mode=mode)
    settings |= {} if target == "iOS15" else {"pad_value": np.float32(pad)}
    if older:
        inputs = {"x": images, "boxes": np.concatenate([owners[:, None].astype(np.float32), given], 1).reshape(4, 1, 5, 1, 1)}
        build = lambda x, boxes: mb.crop_resize(x=x, roi=boxes, **settings)
    else:
        inputs = {"x": images, "boxes": given, "owners": owners}
        build = lambda x, boxes, owners: mb.crop_resize(x=x, boxes=boxes, box_indices=owners, **settings)
    (found,) = run(binary, folder, build, inputs, target)
    wanted = np.stack([crop(images[owner], box, sizes, mode, pad) for owner, box in zip(owners, corners)])
    return np.abs(found - wanted.reshape(-1)).max() if found.size == wanted.size else np.inf


def crops_of_all(binary, folder):
    rng = np.random.default_rng(4)
    images = rng.normal(size=(3, 2, 6, 7)).astype(np.float32)
    boxes = np.array([[0, 1, 4, 5], [2, 2, 5, 6]], np.float32)
    settings = dict(target_height=3, target_width=4, sampling_mode="ALIGN_CORNERS")
    inputs = {"x": images, "boxes": boxes.reshape(2, 1, 4, 1, 1)}
    (found,) = run(binary, folder, lambda x, boxes: mb.crop_resize(x=x, roi=boxes, **settings), inputs, "iOS15")
    wanted = np.stack([[crop(image, box, (3, 4), "ALIGN_CORNERS", 0) for image in images] for box in boxes])
    return np.abs(found - wanted.reshape(-1)).max() if found.size == wanted.size else np.inf


def suppressed(boxes, scores, share, least, most, apart):
    """The remaining boxes of `[B, 4]` with scores `[B, K]`, best first."""
    low, high = boxes[:, :2] - boxes[:, 2:] / 2, boxes[:, :2] + boxes[:, 2:] / 2
    best, kind = scores.max(1), scores.argmax(1)

    def overlap(a, b):
        common = np.prod(np.maximum(0, np.minimum(high[a], high[b]) - np.maximum(low[a], low[b])))
        return common / (np.prod(boxes[a, 2:]) + np.prod(boxes[b, 2:]) - common)

    order = sorted(range(len(boxes)), key=lambda i: -best[i])
    kept = []
    for i in [i for i in order if least is None or best[i] >= least] or order[:1]:
        if not any(overlap(i, j) > share and (not apart or kind[i] == kind[j]) for j in kept):
            kept.append(i)
    return kept[:most]


def suppressions(binary, folder, target, count, most, classes, share, least, apart):
    rng = np.random.default_rng(count + most + classes)
    boxes = np.concatenate([rng.uniform(0, 40, (2, count, 2)), rng.uniform(4, 30, (2, count, 2))], 2).astype(np.float32)
    scores = rng.normal(size=(2, count, classes)).astype(np.float32)
    newer = target in ("iOS17", "iOS18")
    least = None if newer else least
    given = dict(iou_threshold=np.float32(share), max_boxes=most, per_class_suppression=apart)
    given |= {} if newer else {"score_threshold": np.float32(least)}
    turned = lambda x: np.ascontiguousarray(x.transpose(0, 2, 1)) if newer else x
    found = run(binary, folder, lambda boxes, scores: mb.non_maximum_suppression(boxes=boxes, scores=scores, **given), {"boxes": turned(boxes), "scores": turned(scores)}, target)
    wanted = [np.zeros((2, most, 4)), np.zeros((2, most, classes)), np.full((2, most), -1), np.zeros(2)]
    for n in range(2):
        kept = suppressed(boxes[n].astype(np.float64), scores[n], np.float32(share), least, most, apart)
        for x, value in zip(wanted, (boxes[n, kept], scores[n, kept], kept)):
            x[n, : len(kept)] = value
        wanted[3][n] = len(kept)
    wanted = [turned(wanted[0]), turned(wanted[1])] + wanted[2 : 3 if newer else 4]
    if [x.size for x in found] != [x.size for x in wanted]:
        return np.inf
    return max(np.abs(a - b.reshape(-1)).max() for a, b in zip(found, wanted))


def cases():
    for target in TARGETS:
        for mode in ("STRICT_ALIGN_CORNERS", "ALIGN_CORNERS", "DEFAULT", "OFFSET_CORNERS", "UNALIGN_CORNERS"):
            yield f"crop_resize {target} {mode}", lambda b, f, t=target, m=mode: crops(b, f, t, m, "CORNERS_HEIGHT_FIRST", False, (4, 5))
        for i, coordinates in enumerate(("CORNERS_HEIGHT_FIRST", "CORNERS_WIDTH_FIRST", "CENTER_SIZE_HEIGHT_FIRST", "CENTER_SIZE_WIDTH_FIRST")):
            yield f"crop_resize {target} {coordinates} normalized", lambda b, f, t=target, c=coordinates, n=i: crops(b, f, t, "ALIGN_CORNERS", c, True, (1 + 2 * (n % 2), 3))
    yield "crop_resize of all images", crops_of_all
    for target in TARGETS:
        for count, most, classes in ((10, 7, 1), (30, 37, 4), (60, 20, 7)):
            for share in (0.1, 0.3, 0.6):
                for least in (-9, 0.8, 9):
                    if least != -9 and target in ("iOS17", "iOS18"):
                        continue
                    for apart in (False, True):
                        title = f"non_maximum_suppression {target} {count} boxes, {most} at most, {classes} classes, overlap {share}, score {least}{', by class' * apart}"
                        yield title, lambda b, f, g=(target, count, most, classes, share, least, apart): suppressions(b, f, *g)


def main():
    binary, failed, passed = Path(sys.argv[1]).resolve(), 0, 0
    for title, judge in cases():
        with tempfile.TemporaryDirectory() as folder:
            try:
                worst = judge(binary, Path(folder))
            except Exception as error:  # what RLX or coremltools refuses
                worst, title = np.inf, f"{title}: {error}"
        good = worst <= 1e-5
        failed, passed = failed + (not good), passed + good
        print(f"{'ok' if good else 'WRONG'} {title}: {worst:.1e}", flush=True)
    print(f"{passed} of {passed + failed} programs of boxes give what NumPy says")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
