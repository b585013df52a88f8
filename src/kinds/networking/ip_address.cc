#include "kinds/networking/ip_address.h"

#include "api/validation/metadata.h"
#include "base/strings.h"

namespace proa::kinds {

namespace ip_address {

void validate(View object, api::FieldErrors& errors) {
  const View parent = object["spec"]["parentRef"];
  const api::Path path("spec.parentRef");
  if (!parent.exists()) {
    errors.required(path);
    return;
  }
  const std::string_view group = parent["group"].text();
  if (!group.empty())
    errors.invalid_each(path.field("group"), group, api::check_dns1123_subdomain(group));
  for (const std::string_view name : {"resource", "name", "namespace"}) {
    const std::string_view text = parent[name].text();
    if (!text.empty()) {
      errors.invalid_each(path.field(name), text, api::check_path_segment(text));
    } else if (name != "namespace") {
      errors.required(path.field(name));
    }
  }
}

void validate_update(View object, View old, api::FieldErrors& errors) {
  api::validate_immutable(object["spec"]["parentRef"], old["spec"]["parentRef"],
                          api::Path("spec.parentRef"), errors);
}

// "services/default/kubernetes".
std::string parent_text(View parent) {
  if (!parent.exists()) return "<none>";
  std::string text = to_lower(parent["resource"].text());
  for (const auto& [name, separator] : {std::pair{"group", '.'}, std::pair{"namespace", '/'}}) {
    const std::string_view part = parent[name].text();
    if (part.empty()) continue;
    text += separator;
    text += separator == '.' ? to_lower(part) : part;
  }
  return text + "/" + std::string(parent["name"].text());
}

constexpr Column kColumns[] = {
    {.name = "Name", .format = "name"},
    {.name = "ParentRef", .description = "Whose address it is."},
};

// As upstream, one more cell than columns.
void row(View object, Cells& cells) {
  cells.text(object["metadata"]["name"].text());
  cells.text(parent_text(object["spec"]["parentRef"]));
  cells.age(object["metadata"]["creationTimestamp"]);
}

}  // namespace ip_address

KindRules ip_address_rules() {
  return {
      .kind = "networking.k8s.io/v1/IPAddress",
      // The name is the address in canonical form.
      .name = api::check_canonical_ip,
      .metadata = {.update = "MU"},
      .validate = ip_address::validate,
      .validate_update = ip_address::validate_update,
      .columns = ip_address::kColumns,
      .row = ip_address::row,
  };
}

}  // namespace proa::kinds
