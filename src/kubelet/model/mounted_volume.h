#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace proa::kubelet {

// The image that a volume consists of. The runtime mounts it into containers.
struct VolumeImage {
  std::string specified = {};    // the reference in the pod's spec
  std::string pull_policy = {};  // "Always", "IfNotPresent", "Never"
  std::string resolved = {};     // the reference for the runtime; empty until it was pulled
};

// A volume of a pod that is mounted on this node.
struct MountedVolume {
  std::string path = {};   // on the node: what a container gets mounted; empty for an image
  bool read_only = false;  // whatever the container requests
  bool selinux_relabel = false;
  bool is_block = false;  // a device, not a folder
  std::optional<VolumeImage> image = {};
};
using MountedVolumes = std::map<std::string, MountedVolume, std::less<>>;  // by volume name

// One mount of a container, as CRI takes it.
struct ContainerMount {
  std::string container_path = {};
  std::string host_path = {};             // empty for an image
  std::optional<VolumeImage> image = {};  // resolved
  std::string image_sub_path = {};        // inside of the image
  bool read_only = false;
  bool recursive_read_only = false;
  bool selinux_relabel = false;
  enum class Propagation : uint8_t { kPrivate = 0, kHostToContainer = 1, kBidirectional = 2 };
  Propagation propagation = Propagation::kPrivate;
};

// One device of a container, as CRI takes it.
struct ContainerDevice {
  std::string container_path = {};
  std::string host_path = {};
  std::string permissions = {};  // "mrw", "r"
};

}  // namespace proa::kubelet
