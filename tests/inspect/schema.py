"""Validates JSON against the part of JSON Schema that docs/report.schema.json uses."""

from __future__ import annotations

from typing import Any

TYPES = {"object": dict, "array": list, "string": str, "integer": int, "boolean": bool}
KNOWN = {
    *("$schema", "$ref", "title", "description", "definitions", "type", "const", "enum"),
    *("minimum", "required", "properties", "additionalProperties", "items"),
}


def validate(value: object, schema: dict[str, Any], root: dict[str, Any], path: str = "") -> None:
    """Raises an AssertionError that names the first member that the schema does not allow."""
    assert set(schema) <= KNOWN, path
    if "$ref" in schema:
        validate(value, root["definitions"][schema["$ref"].rpartition("/")[2]], root, path)
    if "type" in schema:
        assert isinstance(value, TYPES[schema["type"]]), (path, value)
        assert not isinstance(value, bool) or schema["type"] == "boolean", (path, value)
    assert "const" not in schema or value == schema["const"], (path, value)
    assert "enum" not in schema or value in schema["enum"], (path, value)
    assert "minimum" not in schema or value >= schema["minimum"], (path, value)
    if isinstance(value, dict):
        validate_members(value, schema, root, path)
    for element in value if isinstance(value, list) else ():
        validate(element, schema.get("items", {}), root, f"{path}[]")


def validate_members(
    value: dict[str, Any], schema: dict[str, Any], root: dict[str, Any], path: str
) -> None:
    members = schema.get("properties", {})
    assert set(schema.get("required", ())) <= set(value), (path, value)
    assert schema.get("additionalProperties", True) or set(value) <= set(members), (path, value)
    for name, element in value.items():
        validate(element, members.get(name, {}), root, f"{path}.{name}")
