#include "kinds/core/pods/containers/environment.h"

#include <map>

#include "kinds/core/pods/spec/field_selectors.h"

namespace proa::kinds::pods {

namespace environment {

void check_key_reference(View reference, const Path& path, FieldErrors& errors) {
  check_text(reference["name"], api::check_dns1123_subdomain, path.field("name"), errors);
  if (require_text(reference, "key", path, errors))
    check_text(reference["key"], api::check_config_map_key, path.field("key"), errors);
}

void check_file_reference(View reference, const Path& path, FieldErrors& errors) {
  if (require_text(reference, "key", path, errors))
    check_text(reference["key"], api::check_environment_name, path.field("key"), errors);
  if (require_text(reference, "volumeName", path, errors))
    check_text(reference["volumeName"], api::check_dns1123_label, path.field("volumeName"), errors);
  if (require_text(reference, "path", path, errors))
    check_no_backsteps(reference["path"], path.field("path"), errors);
}

void check_value_from(View variable, const Path& path, FieldErrors& errors) {
  const View from = variable["valueFrom"];
  if (!from.exists()) return;
  size_t sources = 0;
  const auto source = [&](std::string_view name, auto check) {
    if (!from[name].exists()) return;
    ++sources;
    check(from[name], path.field(name));
  };
  source("fieldRef", [&](View selector, const Path& at) {
    validate_field_selector(selector, SelectorUse::kEnvironment, at, errors);
  });
  source("resourceFieldRef", [&](View selector, const Path& at) {
    validate_resource_selector(selector, SelectorUse::kEnvironment, at, errors);
  });
  for (const std::string_view name : {"configMapKeyRef", "secretKeyRef"}) {
    source(name,
           [&](View reference, const Path& at) { check_key_reference(reference, at, errors); });
  }
  source("fileKeyRef",
         [&](View reference, const Path& at) { check_file_reference(reference, at, errors); });
  if (sources == 0) {
    errors.invalid(path, "",
                   "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, "
                   "`secretKeyRef` or `fileKeyRef`");
  } else if (!variable["value"].text().empty()) {
    errors.invalid(path, "", "may not be specified when `value` is not empty");
  } else if (sources > 1) {
    errors.invalid(path, "", "may not have more than one field specified at a time");
  }
}

// By name; the last one wins.
using Volumes = std::map<std::string_view, View>;

void check_file_volume(const Volumes& volumes, View reference, const Path& path,
                       FieldErrors& errors) {
  const std::string_view name = reference["volumeName"].text();
  const auto found = volumes.find(name);
  if (found == volumes.end()) {
    errors.not_found(path.field("volumeName"), name);
  } else if (!found->second["emptyDir"].exists()) {
    errors.invalid(path.field("volumeName"), name, "referenced volume must be of type emptyDir");
  }
}

}  // namespace environment

void validate_environment(View variables, const Path& path, FieldErrors& errors) {
  each(variables, path, [&](View variable, const Path& at) {
    if (require_text(variable, "name", at, errors))
      check_text(variable["name"], api::check_environment_name, at.field("name"), errors);
    environment::check_value_from(variable, at.field("valueFrom"), errors);
  });
}

void validate_environment_sources(View sources, const Path& path, FieldErrors& errors) {
  each(sources, path, [&](View source, const Path& at) {
    if (!source["prefix"].text().empty())
      check_text(source["prefix"], api::check_environment_name, at.field("prefix"), errors);
    size_t count = 0;
    for (const std::string_view kind : {"configMapRef", "secretRef"}) {
      if (!source[kind].exists()) continue;
      ++count;
      const Path reference = at.field(kind);
      if (require_text(source[kind], "name", reference, errors)) {
        check_text(source[kind]["name"], api::check_dns1123_subdomain, reference.field("name"),
                   errors);
      }
    }
    if (count == 0) {
      errors.invalid(path, "", "must specify one of: `configMapRef` or `secretRef`");
    } else if (count > 1) {
      errors.invalid(path, "", "may not have more than one field specified at a time");
    }
  });
}

void validate_environment_files(View spec, const Path& path, FieldErrors& errors) {
  environment::Volumes volumes;
  for (const View volume : spec["volumes"].items())
    volumes.insert_or_assign(volume["name"].text(), volume);
  for (const std::string_view list : {"initContainers", "containers", "ephemeralContainers"}) {
    each(spec[list], path.field(list), [&](View container, const Path& at) {
      each(container["env"], at.field("env"), [&](View variable, const Path& variable_path) {
        const View reference = variable["valueFrom"]["fileKeyRef"];
        if (reference.exists()) {
          environment::check_file_volume(volumes, reference,
                                         variable_path.field("valueFrom.fileKeyRef"), errors);
        }
      });
    });
  }
}

}  // namespace proa::kinds::pods
