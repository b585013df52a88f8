#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "custom/checks/schema_errors.h"
#include "custom/decode/step.h"
#include "json/value.h"

// Errors in the words of kube-openapi, and of the field errors that apiextensions makes of them.

namespace proa::custom {

// `found`: a type name, or the text itself for formats.
SchemaError wrong_type(const Step& at, std::string_view wanted, std::string_view found);
// `value`: as the field error shows it. `what`: the message after the path.
SchemaError invalid(const Step& at, std::string value, std::string_view what);
// Of no field: about alternatives, and limits that do not fit their type.
SchemaError composite(std::string message);
SchemaError missing(const Step& at, std::string_view name);
SchemaError too_long(const Step& at, int64_t most);
// `unit`: "items" or "properties".
SchemaError too_many(const Step& at, size_t found, int64_t most, std::string_view unit);
SchemaError not_supported(const Step& at, const json::Value& value,
                          std::span<const json::Value> choices);

}  // namespace proa::custom
