#include "kinds/core/service_account.h"

namespace proa::kinds {

namespace service_account {

constexpr Column kColumns[] = {{.name = "Name", .format = "name"}, {.name = "Age"}};

void row(View object, Cells& cells) {
  cells.text(object["metadata"]["name"].text());
  cells.age(object["metadata"]["creationTimestamp"]);
}

// Secrets are referenced by name in the same namespace.
void keep_names(api::Edit object) {
  if (object["secrets"].empty()) return;
  const api::Edit secrets = object.existing("secrets");
  for (size_t i = 0; i < secrets.size(); ++i) {
    const api::Edit secret = secrets.item(i);
    json::Value reference = json::Value::object();
    const std::string_view name = secret["name"].text();
    if (!name.empty()) {
      reference.set(secret.arena(), "name", json::Value::string(secret.arena(), name));
    }
    secret.value() = std::move(reference);
  }
}

void prepare_create(api::Edit object, const Writer&) { keep_names(object); }

void prepare_update(api::Edit object, View, const Writer&) { keep_names(object); }

void warn(View object, View old, Warnings& warnings) {
  constexpr std::string_view kEnforce = "kubernetes.io/enforce-mountable-secrets";
  if (old.at("metadata.annotations")[kEnforce].exists()) return;
  if (!object.at("metadata.annotations")[kEnforce].exists()) return;
  warnings.emplace_back(
      "metadata.annotations[kubernetes.io/enforce-mountable-secrets]: deprecated in v1.32+; "
      "prefer separate namespaces to isolate access to mounted secrets");
}

}  // namespace service_account

KindRules service_account_rules() {
  return {.kind = "v1/ServiceAccount",
          .metadata = {.update = "UM"},
          .prepare_create = service_account::prepare_create,
          .prepare_update = service_account::prepare_update,
          .warn = service_account::warn,
          .columns = service_account::kColumns,
          .row = service_account::row};
}

}  // namespace proa::kinds
