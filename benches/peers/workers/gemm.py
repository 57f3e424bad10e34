"""Operands of the matrix products, and a small ONNX graph of one."""

import os

import numpy as np


def operands(case, data):
    """x [m,k], w [k,n] and bias [n], f32, as the driver wrote them."""
    m, k, n = case["m"], case["k"], case["n"]
    read = lambda what, shape: np.fromfile(os.path.join(data, f"gemm-{m}x{k}x{n}-{what}.f32"), np.float32).reshape(shape)
    return read("x", (m, k)), read("w", (k, n)), read("b", (n,))


def onnx_model(case, w, bias):
    """x·w with constant w; with the epilogue, the operator that onnxruntime's optimizer makes from bias and GELU."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    nodes = [helper.make_node("MatMul", ["x", "w"], ["y" if not case["epilogue"] else "product"])]
    constants = [numpy_helper.from_array(w, "w")]
    if case["epilogue"]:
        nodes.append(helper.make_node("BiasGelu", ["product", "b"], ["y"], domain="com.microsoft"))
        constants.append(numpy_helper.from_array(bias, "b"))
    value = lambda name, shape: helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
    m, k, n = case["m"], case["k"], case["n"]
    graph = helper.make_graph(nodes, "product", [value("x", [m, k])], [value("y", [m, n])], constants)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=8)
    onnx.checker.check_model(model)
    return model.SerializeToString()
