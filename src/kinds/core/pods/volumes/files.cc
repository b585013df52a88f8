#include "kinds/core/pods/volumes/files.h"

#include <set>

#include "kinds/core/pods/spec/field_selectors.h"

namespace proa::kinds::pods {

namespace files {

void check_default_mode(View source, const Path& path, FieldErrors& errors) {
  check_mode(source["defaultMode"], path.field("defaultMode"), errors);
}

void check_key_to_path(View item, const Path& path, FieldErrors& errors) {
  require_text(item, "key", path, errors);
  require_text(item, "path", path, errors);
  check_not_reserved(item["path"], path.field("path"), errors);
  check_mode(item["mode"], path.field("mode"), errors);
}

void check_keys(View items, const Path& path, FieldErrors& errors) {
  each(items, path, [&](View item, const Path& at) { check_key_to_path(item, at, errors); });
}

// As upstream, the path is that of the volume, not of the file.
void check_downward_file(View file, const Path& path, FieldErrors& errors) {
  require_text(file, "path", path, errors);
  check_not_reserved(file["path"], path.field("path"), errors);
  if (const View field = file["fieldRef"]; field.exists()) {
    validate_field_selector(field, SelectorUse::kVolume, path.field("fieldRef"), errors);
    if (file["resourceFieldRef"].exists()) {
      errors.invalid(path, "resource",
                     "fieldRef and resourceFieldRef can not be specified simultaneously");
    }
  } else if (const View resource = file["resourceFieldRef"]; resource.exists()) {
    validate_resource_selector(resource, SelectorUse::kVolume, path.field("resourceFieldRef"),
                               errors);
  } else {
    errors.required(path, "one of fieldRef and resourceFieldRef is required");
  }
  check_mode(file["mode"], path.field("mode"), errors);
}

void check_downward_files(View items, const Path& path, FieldErrors& errors) {
  for (const View file : items.items()) check_downward_file(file, path, errors);
}

// Paths that several sources write into one directory.
class Projection {
 public:
  Projection(const Path& path, FieldErrors& errors) : path_(path), errors_(errors) {}

  void check(View source, const Path& at) {
    size_t sources = 0;
    for (const std::string_view kind : {"secret", "configMap"}) {
      if (!source[kind].exists()) continue;
      ++sources;
      keys(source[kind], at.field(kind));
    }
    if (const View downward = source["downwardAPI"]; downward.exists()) {
      ++sources;
      check_downward_files(downward["items"], at.field("downwardAPI"), errors_);
      for (const View file : downward["items"].items()) note(file["path"], file["path"]);
    }
    if (const View token = source["serviceAccountToken"]; token.exists()) {
      ++sources;
      check_token(token, at.field("serviceAccountToken"));
    }
    if (sources > 1) errors_.forbidden(at, "may not specify more than 1 volume type per source");
  }

 private:
  void keys(View source, const Path& at) {
    require_text(source, "name", at, errors_);
    check_keys(source["items"], at.field("items"), errors_);
    for (const View item : source["items"].items()) note(item["path"], source["name"]);
  }

  void check_token(View token, const Path& at) {
    constexpr int64_t kMinSeconds = 10 * 60;
    constexpr int64_t kMaxSeconds = int64_t{1} << 32;
    const int64_t seconds = token["expirationSeconds"].integer();
    if (seconds < kMinSeconds) {
      errors_.invalid(at.field("expirationSeconds"), seconds,
                      "may not specify a duration less than 10 minutes");
    }
    if (seconds > kMaxSeconds) {
      errors_.invalid(at.field("expirationSeconds"), seconds,
                      "may not specify a duration larger than 2^32 seconds");
    }
    if (token["path"].text().empty()) {
      errors_.required(path_.field("path"));
    } else {
      check_not_reserved(token["path"], path_.field("path"), errors_);
    }
  }

  void note(View file, View source) {
    if (!file.text().empty() && !files_.insert(file.text()).second)
      errors_.invalid(path_, source.text(), "conflicting duplicate paths");
  }

  const Path& path_;
  FieldErrors& errors_;
  std::set<std::string_view> files_;
};

}  // namespace files

bool validate_file_volume(std::string_view kind, View source, const Path& path,
                          FieldErrors& errors) {
  if (kind == "secret") {
    require_text(source, "secretName", path, errors);
    files::check_keys(source["items"], path.field("items"), errors);
  } else if (kind == "configMap") {
    require_text(source, "name", path, errors);
    files::check_keys(source["items"], path.field("items"), errors);
  } else if (kind == "downwardAPI") {
    files::check_downward_files(source["items"], path, errors);
  } else if (kind == "projected") {
    files::Projection projection(path, errors);
    each(source["sources"], path.field("sources"),
         [&](View part, const Path& at) { projection.check(part, at); });
  } else {
    return false;
  }
  files::check_default_mode(source, path, errors);
  return true;
}

}  // namespace proa::kinds::pods
