#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

// Messages of event streams: containerd's and CRI's.

namespace proa::kubelet::cri {

inline constexpr std::string_view kSubscribe = "/containerd.services.events.v1.Events/Subscribe";
inline constexpr std::string_view kPublish = "/containerd.services.events.v1.Events/Publish";
inline constexpr std::string_view kCriEvents = "/runtime.v1.RuntimeService/GetContainerEvents";

// The containerd namespace of everything that CRI creates.
inline constexpr std::string_view kContainerdNamespace = "k8s.io";

struct RuntimeEvent {
  // kGreeting: ours, published by print_greeting.
  enum class Kind : uint8_t { kNothing, kGreeting, kChanged, kEnded };
  Kind kind = Kind::kNothing;  // kNothing: does not matter to a pod, like the exit of an exec
  std::string id = {};         // of a container or sandbox
};

// Subscribes to all containerd events that can change a pod, and to greetings.
std::string print_subscription();
// An event that changes nothing. Receiving it proves that the subscription is active; containerd
// has no other confirmation.
std::string print_greeting();

// An Envelope of containerd.
Result<RuntimeEvent> read_containerd_event(std::string_view message);
// A ContainerEventResponse of CRI.
Result<RuntimeEvent> read_cri_event(std::string_view message);

}  // namespace proa::kubelet::cri
