#pragma once

#include <string>
#include <string_view>

#include "closed_loop.h"

namespace proa::load {

// A ConfigMap that takes about `bytes` when the server has stored it; with a resourceVersion, the
// update of just that version.
std::string config_map(std::string_view name, size_t bytes, std::string_view version = {});
// A pod that takes about 1 kB.
std::string pod(std::string_view name);
Request create_namespace(std::string_view name);
// The one that these pods are on: pods of a node that there is not are collected.
Request create_node();

std::string config_maps_path(std::string_view name_space);
std::string pods_path(std::string_view name_space);

// The first resourceVersion in an answer: an object's own, or a list's.
std::string version_in(std::string_view body);

// Creates `count` objects, then has no more.
class Fill final : public Workload {
 public:
  enum class Kind : uint8_t { kConfigMap, kPod };
  Fill(Kind kind, std::string name_space, size_t count, size_t bytes, size_t slots);
  const Request* next(size_t slot) override;
  bool wants_bodies() const override { return true; }

 private:
  Kind kind_;
  size_t left_;
  size_t bytes_;
  std::vector<Request> requests_;  // by slot
};

// The same question again and again.
class Repeat final : public Workload {
 public:
  explicit Repeat(Request request) : request_(std::move(request)) {}
  const Request* next(size_t) override { return &request_; }

 private:
  Request request_;
};

// Each client creates one ConfigMap of 1 kB after the other; afterwards, deletes them again.
class Creates final : public Workload {
 public:
  Creates(std::string name_space, size_t slots);
  const Request* next(size_t slot) override;
  bool wants_bodies() const override { return true; }
  // From now on the slots delete what they made.
  void turn() { deleting_ = true; }

 private:
  struct Slot {
    Request request;
    size_t made = 0;
  };
  std::string path_;
  std::vector<Slot> slots_;
  bool deleting_ = false;
};

// Each client updates an object of its own, of the version that it got with the last answer.
// REQUIRES: Fill made at least as many ConfigMaps there.
class Updates final : public Workload {
 public:
  Updates(const Target& target, const std::string& name_space, size_t slots);
  const Request* next(size_t slot) override;
  bool wants_bodies() const override { return true; }
  void answered(size_t slot, int status, std::string_view body) override;

 private:
  struct Slot {
    Request request;
    std::string name;
    std::string version;
  };
  std::vector<Slot> slots_;
};

// The n-th ConfigMap or pod that Fill makes, counted from 0.
std::string object_name(size_t number);

}  // namespace proa::load
