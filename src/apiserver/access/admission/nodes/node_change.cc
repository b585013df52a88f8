#include "apiserver/access/admission/nodes/node_change.h"

namespace proa::apiserver {
namespace node_change {

bool is_nothing(api::View view) {
  const bool is_container = view.is(json::Kind::kArray) || view.is(json::Kind::kObject);
  return !view || (is_container && view.empty());
}

}  // namespace node_change

std::string_view NodeChange::name() const {
  if (!admission.request.name.empty()) return admission.request.name;
  return object["metadata"]["name"].text();
}

Status NodeChange::forbidden_to_node(std::string_view why) const {
  return forbidden("node " + api::quoted(node) + " " + std::string(why));
}

Status NodeChange::unexpected_operation() const {
  return forbidden("unexpected operation " + api::quoted(operation_name(operation())));
}

Status not_found(std::string_view group, std::string_view singular, std::string_view name) {
  std::string what(singular);
  if (!group.empty()) what.append(".").append(group);
  StatusDetails details;
  details.name = name;
  details.group = group;
  details.kind = singular;
  return Status(Reason::kNotFound, what + " " + api::quoted(name) + " not found")
      .with_details(std::move(details));
}

bool is_same(api::View a, api::View b) {
  if (node_change::is_nothing(a) || node_change::is_nothing(b)) {
    return node_change::is_nothing(a) == node_change::is_nothing(b);
  }
  return a == b;
}

}  // namespace proa::apiserver
