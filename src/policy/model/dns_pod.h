#pragma once

#include <vector>

#include "client/key.h"
#include "policy/model/facts.h"

namespace proa::policy {

// The pod that stands for the DNS of the nodes, as upstream's kube-dns labels and names it: nodes
// answer at the cluster's DNS addresses themselves, and policies that allow DNS select its pods.
PodFacts dns_pod(const std::vector<IpAddress>& addresses);
client::Key dns_pod_key();

}  // namespace proa::policy
