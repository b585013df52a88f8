#pragma once

#include <memory>
#include <string>
#include <vector>

#include "server.h"
#include "testkit/process.h"

namespace proa::load {

// A server that is measured: ours, or upstream's.
struct Subject {
  std::string name;
  Target target;
  pid_t pid = 0;

  // Resident: all, and without the pages of files, which are code and constants.
  double megabytes() const;
  double own_megabytes() const;
};

Subject subject_of(const Server& server);

// kube-apiserver over an etcd of its own, both durable. Takes certificates and keys of a server of
// ours, so that clients of that one may ask this one.
class Upstream {
 public:
  // `program`: kube-apiserver. `ours`: the data directory of the server of ours, whose target is
  // `like`. Returns when /readyz says so.
  Upstream(const std::string& program, const std::string& directory, const std::string& ours,
           const Target& like);
  ~Upstream();
  Upstream(const Upstream&) = delete;
  Upstream& operator=(const Upstream&) = delete;

  Subject subject() const;
  double etcd_megabytes() const;

 private:
  std::unique_ptr<testkit::Process> etcd_;
  std::unique_ptr<testkit::Process> server_;
  Target target_;
};

// KUBE_APISERVER, if it and etcd are there; else empty.
std::string upstream_program();

}  // namespace proa::load
