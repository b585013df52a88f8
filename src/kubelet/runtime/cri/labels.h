#pragma once

#include <string_view>

// Labels of sandboxes and containers, the same as upstream's: crictl reads them, and a restarted
// kubelet finds its pods by them.

namespace proa::kubelet::cri {

inline constexpr std::string_view kPodName = "io.kubernetes.pod.name";
inline constexpr std::string_view kPodNamespace = "io.kubernetes.pod.namespace";
inline constexpr std::string_view kPodUid = "io.kubernetes.pod.uid";
inline constexpr std::string_view kContainerName = "io.kubernetes.container.name";

// Annotations of containers.
inline constexpr std::string_view kContainerHash = "io.kubernetes.container.hash";
inline constexpr std::string_view kRestartCount = "io.kubernetes.container.restartCount";
inline constexpr std::string_view kTerminationMessagePath =
    "io.kubernetes.container.terminationMessagePath";
inline constexpr std::string_view kTerminationMessagePolicy =
    "io.kubernetes.container.terminationMessagePolicy";
inline constexpr std::string_view kPreStopHandler = "io.kubernetes.container.preStopHandler";
inline constexpr std::string_view kContainerPorts = "io.kubernetes.container.ports";
inline constexpr std::string_view kPodDeletionGrace = "io.kubernetes.pod.deletionGracePeriod";
inline constexpr std::string_view kPodTerminationGrace = "io.kubernetes.pod.terminationGracePeriod";

}  // namespace proa::kubelet::cri
