#include "kinds/core/volumes/volume_common.h"

#include <algorithm>

#include "base/strings.h"
#include "kinds/checks/fields.h"

namespace proa::kinds {

namespace volume_common {

struct Mode {
  std::string_view name;
  std::string_view text;
};

constexpr Mode kModes[] = {{"ReadWriteOnce", "RWO"},
                           {"ReadOnlyMany", "ROX"},
                           {"ReadWriteMany", "RWX"},
                           {"ReadWriteOncePod", "RWOP"}};

}  // namespace volume_common

void validate_access_modes(View modes, std::string_view required, const api::Path& path,
                           api::FieldErrors& errors) {
  if (modes.empty()) return errors.required(path, required);
  bool exclusive = false;
  bool others = false;
  for (const View mode : modes.items()) {
    check_one_of(mode, {"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"}, path,
                 errors);
    if (mode.text() == "ReadWriteOncePod") {
      exclusive = true;
    } else if (contains({"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce"}, mode.text())) {
      others = true;
    }
  }
  if (exclusive && others) {
    errors.forbidden(path, "may not use ReadWriteOncePod with other access modes");
  }
}

std::string format_access_modes(View modes) {
  std::vector<std::string_view> texts;
  for (const auto& mode : volume_common::kModes) {
    const auto items = modes.items();
    if (std::any_of(items.begin(), items.end(),
                    [&](const json::Value& item) { return View(item).text() == mode.name; })) {
      texts.push_back(mode.text);
    }
  }
  return join(texts, ",");
}

std::string_view storage_class_of(View object) {
  const View annotation = object.at("metadata.annotations")[kStorageClassAnnotation];
  return annotation ? annotation.text() : object["spec"]["storageClassName"].text();
}

}  // namespace proa::kinds
