#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "http/client/client.h"

namespace proa::apiserver {

// How this server connects to pods.
enum class PodEgress : uint8_t {
  kDirect,  // it has a route to them, as nodes have
  kNodes,   // their kubelets open tunnels; kubelets that cannot: directly
};

// A tunnel to a port of a pod, which the kubelet of its node opens.
struct PodTunnel {
  http::Origin kubelet = {};
  std::string target = {};  // path at the kubelet

  // For http::Origin::via.
  std::string str() const;
  static std::optional<PodTunnel> parse(std::string_view text);
};

// Dials origins whose `via` is a PodTunnel. `kubelets` outlives the connections.
http::Dial dial_pods(http::Client& kubelets);

}  // namespace proa::apiserver
