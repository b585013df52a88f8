#pragma once

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "testkit/controllers/test_world.h"

namespace proa::testkit {

// Only the job controller, with a scripted kubelet.
class JobWorld : public testing::Test {
 protected:
  JobWorld();

  // `fields` of the spec, each followed by a comma.
  void create_job(const std::string& fields, const std::string& policy = "Never");
  void patch_job(const std::string& spec);
  // There is no garbage collector: with background propagation, its pods stay.
  void remove_job(api::Propagation how);

  std::vector<api::ObjectPtr> pods() { return world_.list("", "pods", "default"); }
  // Names of active pods.
  std::vector<std::string> active();
  // The active pod of that index.
  std::string active_at(int64_t index);
  size_t tracked();

  // A status update by a kubelet. `more`: further fields of the status, each followed by a comma.
  void set_pod(const std::string& name, const std::string& phase, const std::string& more = "");
  void end_pod(const std::string& name, int exit_code);
  // Ends all active pods, one after another.
  void end_all(int exit_code);

  api::ObjectPtr job() { return world_.get("batch", "jobs", "default", "work"); }
  json::Document job_document() { return job()->document().value(); }
  // "active=1 ready=0 terminating=0 succeeded=2 failed=0"
  std::string counts();
  std::string status(std::string_view name);
  // "True Reason: message"; empty for none.
  std::string condition(std::string_view type);
  // The number of such events: "Normal Completed: Job completed".
  int64_t events(std::string_view wanted);
  void expect_complete();
  // A restarted controller has nothing to do.
  void expect_at_rest();

  // The number of controller writes, except for events, that succeed; later ones fail.
  size_t writes_left_ = std::numeric_limits<size_t>::max();
  bool last_is_done_ = false;  // the first failing write is committed nevertheless

  TestWorld world_;
};

}  // namespace proa::testkit
