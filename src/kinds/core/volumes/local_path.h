#pragma once

#include <string>
#include <string_view>

// Names of local-path storage: the provisioner (controllers) makes volumes that are directories of
// a node, the kubelet of that node makes and removes the directories.

namespace proa::kinds {

// The provisioner, and the finalizer of its volumes: the directory exists, or may exist.
inline constexpr std::string_view kLocalPath = "proa.dev/local-path";
// Annotation on Nodes: the directory under which the kubelet keeps volumes. Without it, the kubelet
// is not one that manages them.
inline constexpr std::string_view kLocalPathRoot = "proa.dev/local-path-root";
// On volumes, the node of the directory: its name as an annotation, local_path_label() as a label.
inline constexpr std::string_view kLocalPathNode = "proa.dev/local-path-node";

// The value of the label kLocalPathNode, by which a kubelet selects its volumes: the node's name,
// or a digest of it where it is too long for a label.
std::string local_path_label(std::string_view node);

}  // namespace proa::kinds
