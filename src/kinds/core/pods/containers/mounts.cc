#include "kinds/core/pods/containers/mounts.h"

namespace proa::kinds::pods {

namespace mounts {

std::set<std::string_view> all(View list, std::string_view field) {
  std::set<std::string_view> texts;
  for (const View item : list.items()) texts.insert(item[field].text());
  return texts;
}

// As upstream, the path is that of the list, not of the mount.
void check_propagation(View mount, bool privileged, const Path& list, FieldErrors& errors) {
  const View propagation = mount["mountPropagation"];
  const Path path = list.field("mountPropagation");
  check_one_of(propagation, {"Bidirectional", "HostToContainer", "None"}, path, errors);
  if (propagation.text() == "Bidirectional" && !privileged) {
    errors.forbidden(path,
                     "Bidirectional mount propagation is available only to privileged containers");
  }
}

void check_recursive_read_only(View mount, const Path& list, FieldErrors& errors) {
  const View mode = mount["recursiveReadOnly"];
  if (!mode.exists() || mode.text() == "Disabled") return;
  const Path path = list.field("recursiveReadOnly");
  if (mode.text() != "Enabled" && mode.text() != "IfPossible") {
    errors.not_supported(path, mode.text(), {"Disabled", "Enabled", "IfPossible"});
    return;
  }
  if (!mount["readOnly"].flag())
    errors.forbidden(path, "may only be specified when readOnly is true");
  if (mount["mountPropagation"].text("None") != "None") {
    errors.forbidden(path, "may only be specified when mountPropagation is None or not specified");
  }
}

void check_sub_path(View mount, const Path& list, const Path& at, FieldErrors& errors) {
  const std::string_view expression = mount["subPathExpr"].text();
  if (!mount["subPath"].text().empty()) {
    check_descending(mount["subPath"], list.field("subPath"), errors);
    if (!expression.empty()) {
      errors.invalid(at.field("subPathExpr"), expression,
                     "subPathExpr and subPath are mutually exclusive");
    }
  }
  check_descending(mount["subPathExpr"], list.field("subPathExpr"), errors);
}

}  // namespace mounts

void validate_mounts(View container, const PodContext& pod, const Path& path, FieldErrors& errors) {
  const bool privileged = container["securityContext"]["privileged"].flag();
  const auto device_names = mounts::all(container["volumeDevices"], "name");
  const auto device_places = mounts::all(container["volumeDevices"], "devicePath");
  std::set<std::string_view> places;
  each(container["volumeMounts"], path, [&](View mount, const Path& at) {
    const std::string_view name = mount["name"].text();
    const std::string_view place = mount["mountPath"].text();
    require_text(mount, "name", at, errors);
    if (!pod.volumes.contains(name)) errors.not_found(at.field("name"), name);
    require_text(mount, "mountPath", at, errors);
    if (!places.insert(place).second)
      errors.invalid(at.field("mountPath"), place, "must be unique");
    if (device_names.contains(name))
      errors.invalid(at.field("name"), name, "must not already exist in volumeDevices");
    if (device_places.contains(place)) {
      errors.invalid(at.field("mountPath"), place,
                     "must not already exist as a path in volumeDevices");
    }
    mounts::check_sub_path(mount, path, at, errors);
    mounts::check_propagation(mount, privileged, path, errors);
    mounts::check_recursive_read_only(mount, path, errors);
  });
}

void validate_devices(View container, const PodContext& pod, const Path& path,
                      FieldErrors& errors) {
  const auto mount_names = mounts::all(container["volumeMounts"], "name");
  const auto mount_places = mounts::all(container["volumeMounts"], "mountPath");
  std::set<std::string_view> names;
  std::set<std::string_view> places;
  each(container["volumeDevices"], path, [&](View device, const Path& at) {
    const std::string_view name = device["name"].text();
    const std::string_view place = device["devicePath"].text();
    const auto volume = pod.volumes.find(name);
    require_text(device, "name", at, errors);
    if (names.contains(name)) errors.invalid(at.field("name"), name, "must be unique");
    if (volume == pod.volumes.end()) {
      errors.not_found(at.field("name"), name);
    } else if (!volume->second["persistentVolumeClaim"].exists() &&
               !volume->second["ephemeral"].exists()) {
      errors.invalid(at.field("name"), name,
                     "can only use volume source type of PersistentVolumeClaim or Ephemeral for "
                     "block mode");
    }
    require_text(device, "devicePath", at, errors);
    if (places.contains(place)) errors.invalid(at.field("devicePath"), place, "must be unique");
    if (has_backsteps(place)) {
      errors.invalid(at.field("devicePath"), place, "can not contain backsteps ('..')");
    } else {
      places.insert(place);
    }
    if (mount_names.contains(name))
      errors.invalid(at.field("name"), name, "must not already exist in volumeMounts");
    if (mount_places.contains(place)) {
      errors.invalid(at.field("devicePath"), place,
                     "must not already exist as a path in volumeMounts");
    }
    if (!name.empty()) names.insert(name);
  });
}

}  // namespace proa::kinds::pods
