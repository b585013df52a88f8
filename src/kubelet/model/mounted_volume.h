#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace proa::kubelet {

// A volume of a pod that is mounted on this node.
struct MountedVolume {
  std::string path = {};   // on the node: what a container gets mounted
  bool read_only = false;  // whatever the container requests
  bool selinux_relabel = false;
  bool is_block = false;  // a device, not a folder
};
using MountedVolumes = std::map<std::string, MountedVolume, std::less<>>;  // by volume name

// One mount of a container, as CRI takes it.
struct ContainerMount {
  std::string container_path = {};
  std::string host_path = {};
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
