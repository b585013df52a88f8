#pragma once

#include <string>
#include <vector>

#include "scheduler/framework/diagnosis.h"

namespace proa::scheduler {

// Upstream's message for a pod that fits on no node: "0/5 nodes are available: 2 Insufficient cpu,
// 3 node(s) ..."; `after`: the message of PostFilter, may be empty.
std::string fit_message(const Cluster& cluster, const Diagnosis& diagnosis, std::string_view after);

// The rejection of a node whose filter returned an error; null if there is none.
const Diagnosis::Rejection* first_error(const Cluster& cluster, const Diagnosis& diagnosis);

// All plugins that rejected the pod on some node, unordered.
std::vector<const Plugin*> rejecting_plugins(const Diagnosis& diagnosis);

}  // namespace proa::scheduler
