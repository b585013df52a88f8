#include "kinds/core/config_map.h"

#include "kinds/checks/data.h"

namespace proa::kinds {

namespace config_map {

constexpr std::string_view kFrozen[] = {"data", "binaryData"};

constexpr Column kColumns[] = {
    {.name = "Name", .format = "name"}, {.name = "Data"}, {.name = "Age"}};

void row(View object, Cells& cells) {
  cells.text(object["metadata"]["name"].text());
  cells.number(static_cast<int64_t>(object["data"].size() + object["binaryData"].size()));
  cells.age(object["metadata"]["creationTimestamp"]);
}

void validate(View object, api::FieldErrors& errors) {
  size_t size = 0;
  const api::Path data("data");
  for (const json::Member& member : object["data"].members()) {
    const api::Path path = data.key(member.key);
    errors.invalid_each(path, member.key, api::check_config_map_key(member.key));
    if (object["binaryData"][member.key].exists()) {
      errors.invalid(path, member.key, "duplicate of key present in binaryData");
    }
    size += View(member.value).text().size();
  }
  const api::Path binary_data("binaryData");
  for (const json::Member& member : object["binaryData"].members()) {
    errors.invalid_each(binary_data.key(member.key), member.key,
                        api::check_config_map_key(member.key));
    size += size_of_base64(View(member.value).text());
  }
  if (size > kMaxDataSize) errors.too_long(api::Path(""), kMaxDataSize);
}

void validate_update(View object, View old, api::FieldErrors& errors) {
  validate_frozen_fields(object, old, kFrozen, errors);
}

}  // namespace config_map

KindRules config_map_rules() {
  return {.kind = "v1/ConfigMap",
          .metadata = {.update = "UM"},
          .validate = config_map::validate,
          .validate_update = config_map::validate_update,
          .update_comes_first = true,
          .columns = config_map::kColumns,
          .row = config_map::row};
}

}  // namespace proa::kinds
