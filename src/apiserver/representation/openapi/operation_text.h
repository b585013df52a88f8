#pragma once

#include <functional>

#include "apiserver/representation/openapi/json_text.h"
#include "apiserver/representation/openapi/operations.h"

// Parts that are the same in both versions of OpenAPI. Write members of an object that the caller
// has opened.

namespace proa::apiserver {

// The info object: title and version.
std::string info_json(std::string_view version);
inline constexpr std::string_view kSecuritySchemes =
    R"({"BearerToken":{"description":"Bearer Token authentication","in":"header",)"
    R"("name":"authorization","type":"apiKey"}})";

// Id, description, tag and kind.
void write_operation_names(JsonText& out, const PathItem& item, const ApiOperation& operation);

void write_parameter_names(JsonText& out, const Parameter& parameter);

// `write_content` adds the content of a response.
void write_answers(JsonText& out, const ApiOperation& operation,
                   const std::function<void(const ApiOperation::Answer&)>& write_content);

}  // namespace proa::apiserver
