#pragma once

#include <string>
#include <vector>

#include "scheduler/framework/diagnosis.h"

namespace proa::scheduler {

// Why a pod found no node, in upstream's words: "0/5 nodes are available: 2 Insufficient cpu, 3
// node(s) ..."; `after`: what PostFilter said, empty for nothing.
std::string fit_message(const Cluster& cluster, const Diagnosis& diagnosis, std::string_view after);

// A node whose filter failed; null: none did.
const Diagnosis::Rejection* first_error(const Cluster& cluster, const Diagnosis& diagnosis);

// Everybody who rejected the pod somewhere, in no order.
std::vector<const Plugin*> rejecting_plugins(const Diagnosis& diagnosis);

}  // namespace proa::scheduler
