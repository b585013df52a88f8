#pragma once

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "testkit/controllers/test_world.h"

namespace proa::testkit {

// The job controller alone, and a kubelet that does what the test says.
class JobWorld : public testing::Test {
 protected:
  JobWorld();

  // `fields` of the spec, each with a comma behind it.
  void create_job(const std::string& fields, const std::string& policy = "Never");
  void patch_job(const std::string& spec);
  // Nobody collects garbage here: in the background, its pods stay.
  void remove_job(api::Propagation how);

  std::vector<api::ObjectPtr> pods() { return world_.list("", "pods", "default"); }
  // Names of those that run or will.
  std::vector<std::string> active();
  // The one that has that index and runs.
  std::string active_at(int64_t index);
  size_t tracked();

  // What a kubelet writes. `more`: further fields of the status, each with a comma behind it.
  void set_pod(const std::string& name, const std::string& phase, const std::string& more = "");
  void end_pod(const std::string& name, int exit_code);
  // Ends all that are active, in turn.
  void end_all(int exit_code);

  api::ObjectPtr job() { return world_.get("batch", "jobs", "default", "work"); }
  json::Document job_document() { return job()->document().value(); }
  // "active=1 ready=0 terminating=0 succeeded=2 failed=0"
  std::string counts();
  std::string status(std::string_view name);
  // "True Reason: message"; empty for none.
  std::string condition(std::string_view type);
  // How many say that: "Normal Completed: Job completed".
  int64_t events(std::string_view wanted);
  void expect_complete();
  // A restarted controller finds nothing to do.
  void expect_at_rest();

  // Until this many writes are done by controllers, but for events; those behind fail.
  size_t writes_left_ = std::numeric_limits<size_t>::max();
  bool last_is_done_ = false;  // the first one that fails is done nevertheless

  TestWorld world_;
};

}  // namespace proa::testkit
