#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

// What is said on event streams: containerd's and CRI's.

namespace proa::kubelet::cri {

inline constexpr std::string_view kSubscribe = "/containerd.services.events.v1.Events/Subscribe";
inline constexpr std::string_view kPublish = "/containerd.services.events.v1.Events/Publish";
inline constexpr std::string_view kCriEvents = "/runtime.v1.RuntimeService/GetContainerEvents";

// In which containerd keeps what CRI made.
inline constexpr std::string_view kContainerdNamespace = "k8s.io";

struct RuntimeEvent {
  // kGreeting: ours, published by print_greeting.
  enum class Kind : uint8_t { kNothing, kGreeting, kChanged, kEnded };
  Kind kind = Kind::kNothing;  // kNothing: nothing that matters to a pod, like the end of an exec
  std::string id = {};         // of a container or sandbox
};

// Asks containerd for all that can change a pod, and for greetings.
std::string print_subscription();
// An event that changes nothing. Who hears it knows that his subscription is in place, which
// containerd says in no other way.
std::string print_greeting();

// An Envelope of containerd.
Result<RuntimeEvent> read_containerd_event(std::string_view message);
// A ContainerEventResponse of CRI.
Result<RuntimeEvent> read_cri_event(std::string_view message);

}  // namespace proa::kubelet::cri
