#include "apiserver/representation/openapi/operation_text.h"

namespace proa::apiserver {

namespace operation_text {

std::string_view meaning_of(int code) {
  switch (code) {
    case 201:
      return "Created";
    case 202:
      return "Accepted";
    default:
      return "OK";
  }
}

}  // namespace operation_text

void write_operation_names(JsonText& out, const PathItem& item, const ApiOperation& operation) {
  out.member("description", operation.description);
  out.member("operationId", operation.id);
  out.texts_member("tags", std::span(&item.tag, 1));
  if (operation.action.empty()) return;
  out.member("x-kubernetes-action", operation.action);
  const GroupVersion group_version = split_group_version(operation.kind->group_version);
  out.key("x-kubernetes-group-version-kind");
  out.open('{');
  out.member("group", group_version.group);
  out.member("kind", operation.kind->name);
  out.member("version", group_version.version);
  out.close('}');
}

void write_parameter_names(JsonText& out, const Parameter& parameter) {
  if (!parameter.description.empty()) out.member("description", parameter.description);
  out.member("in", parameter.place());
  out.member("name", parameter.name);
  if (parameter.in_path) out.raw_member("required", "true");
}

void write_answers(JsonText& out, const ApiOperation& operation,
                   const std::function<void(const ApiOperation::Answer&)>& write_content) {
  out.key("responses");
  out.open('{');
  for (const ApiOperation::Answer& answer : operation.answers) {
    out.key(std::to_string(answer.code));
    out.open('{');
    out.member("description", operation_text::meaning_of(answer.code));
    write_content(answer);
    out.close('}');
  }
  out.raw_member("401", R"({"description":"Unauthorized"})");
  out.close('}');
}

std::string info_json(std::string_view version) {
  return R"({"title":"Kubernetes","version":")" + std::string(version) + "\"}";
}

}  // namespace proa::apiserver
