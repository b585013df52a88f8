#pragma once

#include <string>

namespace proa::dns_bench {

// Answers DNS as a node does, until it is killed: the agent, which follows an API server. What the
// program does when it is called as a child of compare_with_coredns().
int serve(const std::string& kubeconfig);

// A node's DNS agent and CoreDNS, each a process of its own, beside one API server with all
// Services, in a network namespace of its own: answers for a second of processor time, and memory.
// `coredns`: its program. False if it failed; says why.
bool compare_with_coredns(const std::string& coredns, int seconds);

}  // namespace proa::dns_bench
