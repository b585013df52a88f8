#include "kubelet/pod/volumes/plugins/image_volume.h"

namespace proa::kubelet {

Result<MountedVolume> mount_image_volume(const VolumeTools& /*tools*/,
                                         const VolumeRequest& request) {
  VolumeImage image{.specified = std::string(request.source["reference"].text()),
                    .pull_policy = std::string(request.source["pullPolicy"].text())};
  return MountedVolume{.read_only = true, .image = std::move(image)};
}

}  // namespace proa::kubelet
