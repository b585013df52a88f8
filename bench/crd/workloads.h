#pragma once

#include <functional>
#include <string>
#include <vector>

#include "load/closed_loop.h"
#include "load/subject.h"

namespace proa::crd_bench {

// Each request of a list, once.
class Each final : public load::Workload {
 public:
  explicit Each(std::vector<load::Request> requests) : requests_(std::move(requests)) {}
  const load::Request* next(size_t slot) override;
  bool wants_bodies() const override { return true; }

 private:
  std::vector<load::Request> requests_;
  size_t sent_ = 0;
};

// Asks for each path again until an answer is good.
class Until final : public load::Workload {
 public:
  using Good = std::function<bool(int status, std::string_view body)>;
  Until(std::vector<std::string> paths, size_t slots, Good good);
  const load::Request* next(size_t slot) override;
  bool wants_bodies() const override { return true; }
  void answered(size_t slot, int status, std::string_view body) override;

 private:
  std::vector<std::string> open_;
  std::vector<load::Request> requests_;  // by slot
  const Good good_;
};

// Creates one object after the other, never the same.
class Posts final : public load::Workload {
 public:
  using Body = std::function<std::string(std::string_view name)>;
  Posts(const std::string& path, size_t slots, Body body);
  const load::Request* next(size_t slot) override;
  bool wants_bodies() const override { return true; }

 private:
  const Body body_;
  std::vector<load::Request> requests_;  // by slot
};

// Each client changes an annotation of a Deployment of its own: by server-side apply, or by an
// update of what the last answer was.
class DeploymentWrites final : public load::Workload {
 public:
  enum class Way : uint8_t { kApply, kUpdate };
  DeploymentWrites(const load::Target& target, Way way, size_t slots);
  const load::Request* next(size_t slot) override;
  bool wants_bodies() const override { return true; }
  void answered(size_t slot, int status, std::string_view body) override;

 private:
  struct Slot {
    load::Request request;
    std::string current;  // as it was answered
    size_t count = 0;
  };
  const Way way_;
  std::vector<Slot> slots_;
};

struct Cost {
  double per_second = 0;
  double server_micros = 0;  // of processor time, a request
  double others = 0;
};
Cost cost_of(const load::Subject& subject, const load::Shape& shape, load::Workload& workload,
             double seconds);

}  // namespace proa::crd_bench
