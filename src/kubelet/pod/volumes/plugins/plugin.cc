#include "kubelet/pod/volumes/plugins/plugin.h"

#include <array>

#include "kubelet/pod/volumes/plugins/content_volume.h"
#include "kubelet/pod/volumes/plugins/empty_dir.h"
#include "kubelet/pod/volumes/plugins/host_path.h"
#include "kubelet/pod/volumes/plugins/image_volume.h"
#include "kubelet/pod/volumes/plugins/local_volume.h"

namespace proa::kubelet {
namespace plugin {

constexpr VolumePlugin content(std::string_view source, decltype(VolumePlugin::mount) mount,
                               decltype(VolumePlugin::existing) existing) {
  return {.source = source, .mount = mount, .has_content = true, .existing = existing};
}

constexpr std::array kPlugins = {
    VolumePlugin{.source = "emptyDir", .mount = mount_empty_dir},
    VolumePlugin{.source = "hostPath", .mount = mount_host_path, .in_persistent_volumes = true},
    VolumePlugin{.source = "local",
                 .mount = mount_local_volume,
                 .in_pods = false,
                 .in_persistent_volumes = true},
    VolumePlugin{.source = "image", .mount = mount_image_volume},
    content("configMap", mount_config_map, existing_config_map),
    content("secret", mount_secret, existing_secret),
    content("downwardAPI", mount_downward_api, existing_downward_api),
    content("projected", mount_projected, existing_projected),
};

}  // namespace plugin

const VolumePlugin* find_volume_plugin(std::string_view source, bool persistent) {
  for (const VolumePlugin& one : plugin::kPlugins) {
    if (one.source == source && (persistent ? one.in_persistent_volumes : one.in_pods)) return &one;
  }
  return nullptr;
}

}  // namespace proa::kubelet
