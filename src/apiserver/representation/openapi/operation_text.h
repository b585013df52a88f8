#pragma once

#include <functional>

#include "apiserver/representation/openapi/json_text.h"
#include "apiserver/representation/openapi/operations.h"

// What both versions of OpenAPI say in the same words. Members of an object are written that the
// caller has opened.

namespace proa::apiserver {

inline constexpr std::string_view kInfo = R"({"title":"Kubernetes","version":"unversioned"})";
inline constexpr std::string_view kSecuritySchemes =
    R"({"BearerToken":{"description":"Bearer Token authentication","in":"header",)"
    R"("name":"authorization","type":"apiKey"}})";

// Id, description, tag and the kind that it is about.
void write_operation_names(JsonText& out, const PathItem& item, const ApiOperation& operation);

void write_parameter_names(JsonText& out, const Parameter& parameter);

// `write_content` adds what an answer consists of.
void write_answers(JsonText& out, const ApiOperation& operation,
                   const std::function<void(const ApiOperation::Answer&)>& write_content);

}  // namespace proa::apiserver
