#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "api/object/view.h"
#include "controllers/framework/conditions.h"
#include "controllers/workload/job/job_facts.h"
#include "controllers/workload/job/jobs.h"
#include "json/print.h"
#include "testkit/controllers/test_world.h"

namespace proa::controllers::jobs {

// For tests: a controller that dies after some writes. Its last one may have come through.
class MortalClient final : public client::Client {
 public:
  MortalClient(std::unique_ptr<client::Client> client, size_t& writes_left, bool& last_is_done)
      : client_(std::move(client)), left_(writes_left), last_is_done_(last_is_done) {}

  Result<api::ObjectPtr> get(const client::Place& place) override { return client_->get(place); }
  Result<client::ObjectList> list(const client::Place& place,
                                  const client::ListQuery& query) override {
    return client_->list(place, query);
  }
  Result<std::unique_ptr<client::Watch>> watch(const client::Place& place,
                                               const client::WatchQuery& query) override {
    return client_->watch(place, query);
  }
  Result<api::ObjectPtr> create(const client::Place& place, std::string object,
                                const client::WriteChoices& choices) override {
    return write(place, [&] { return client_->create(place, std::move(object), choices); });
  }
  Result<api::ObjectPtr> update(const client::Place& place, std::string object,
                                const client::WriteChoices& choices) override {
    return write(place, [&] { return client_->update(place, std::move(object), choices); });
  }
  Result<api::ObjectPtr> patch(const client::Place& place, api::PatchType type, std::string patch,
                               const client::WriteChoices& choices) override {
    return write(place, [&] { return client_->patch(place, type, std::move(patch), choices); });
  }
  Result<void> remove(const client::Place& place, const client::RemoveChoices& choices) override {
    return write(place, [&] { return client_->remove(place, choices); });
  }
  Result<void> remove_collection(const client::Place& place, const client::ListQuery& query,
                                 const client::RemoveChoices& choices) override {
    return write(place, [&] { return client_->remove_collection(place, query, choices); });
  }

 private:
  template <typename Write>
  auto write(const client::Place& place, Write write) -> decltype(write()) {
    if (place.resource->name == "events") return write();
    if (left_ > 0) {
      --left_;
      return write();
    }
    if (std::exchange(last_is_done_, false)) (void)write();
    return Status(Reason::kServiceUnavailable, "the connection broke");
  }

  const std::unique_ptr<client::Client> client_;
  size_t& left_;
  bool& last_is_done_;
};

// For tests: the job controller alone, and a kubelet that does what the test says.
class JobWorld : public testing::Test {
 protected:
  // `fields` of the spec, each with a comma behind it.
  void create_job(const std::string& fields, const std::string& policy = "Never") {
    world_.create(
        "batch", "jobs", "default",
        R"({"metadata":{"name":"work"},"spec":{)" + fields +
            R"("template":{"metadata":{"labels":{"app":"work"}},"spec":{"restartPolicy":")" +
            policy + R"(","containers":[{"name":"c","image":"i"}]}}}})");
    world_.settle();
  }
  void patch_job(const std::string& spec) {
    world_.patch("batch", "jobs", "default", "work", "{\"spec\":" + spec + "}");
    world_.settle();
  }

  // Nobody collects garbage here: in the background, its pods stay.
  void remove_job(api::Propagation how) {
    ASSERT_TRUE(world_.client()
                    .remove(world_.place("batch", "jobs", "default", "work"), {.propagation = how})
                    .ok());
  }

  std::vector<api::ObjectPtr> pods() { return world_.list("", "pods", "default"); }
  // Names of those that run or will.
  std::vector<std::string> active() {
    std::vector<std::string> names;
    for (const api::ObjectPtr& pod : pods()) {
      if (job_pod(*pod).active()) names.emplace_back(pod->metadata().name);
    }
    return names;
  }
  // The one that has that index and runs.
  std::string active_at(int64_t index) {
    for (const api::ObjectPtr& pod : pods()) {
      if (job_pod(*pod).active() && job_pod(*pod).index == index) {
        return std::string(pod->metadata().name);
      }
    }
    return "";
  }
  size_t tracked() {
    const auto all = pods();
    return static_cast<size_t>(std::count_if(
        all.begin(), all.end(), [](const auto& pod) { return job_pod(*pod).tracked; }));
  }

  // What a kubelet writes. `more`: further fields of the status, each with a comma behind it.
  void set_pod(const std::string& name, const std::string& phase, const std::string& more = "") {
    world_.patch("", "pods", "default", name,
                 R"({"status":{)" + more + R"("phase":")" + phase + R"("}})", "status");
  }
  void end_pod(const std::string& name, int exit_code) {
    set_pod(name, exit_code == 0 ? "Succeeded" : "Failed",
            R"("containerStatuses":[{"name":"c","image":"i","imageID":"","ready":false,)"
            R"("restartCount":0,"state":{"terminated":{"exitCode":)" +
                std::to_string(exit_code) + R"(,"finishedAt":")" +
                format_time(world_.clock().now()) + R"("}}}],)");
  }
  // Ends all that are active, in turn.
  void end_all(int exit_code) {
    for (const std::string& name : active()) end_pod(name, exit_code);
    world_.settle();
  }

  api::ObjectPtr job() { return world_.get("batch", "jobs", "default", "work"); }
  json::Document job_document() { return job()->document().value(); }
  // "active=1 ready=0 terminating=0 succeeded=2 failed=0"
  std::string counts() {
    const json::Document document = job_document();
    std::string text;
    for (const char* name : {"active", "ready", "terminating", "succeeded", "failed"}) {
      const api::View count = api::View(document.root())["status"][name];
      text += (text.empty() ? "" : " ") + std::string(name) + "=" + std::to_string(count.integer());
    }
    return text;
  }
  std::string status(std::string_view name) {
    const json::Document document = job_document();
    const api::View found = api::View(document.root())["status"][name];
    if (!found) return "-";
    return found.is(json::Kind::kString) ? std::string(found.text()) : json::print(*found.value());
  }
  // "True Reason: message"; empty for none.
  std::string condition(std::string_view type) {
    const json::Document document = job_document();
    const api::View found = find_condition(api::View(document.root())["status"], type);
    if (!found) return "";
    return std::string(found["status"].text()) + " " + std::string(found["reason"].text()) + ": " +
           std::string(found["message"].text());
  }
  // How many say that: "Normal Completed: Job completed".
  int64_t events(std::string_view wanted) {
    int64_t count = 0;
    for (const api::ObjectPtr& event : world_.list("", "events", "default")) {
      const json::Document document = event->document().value();
      const api::View root = document.root();
      const std::string text = std::string(root["type"].text()) + " " +
                               std::string(root["reason"].text()) + ": " +
                               std::string(root["message"].text());
      if (text == wanted) count += root["count"].integer(1);
    }
    return count;
  }
  void expect_complete() {
    EXPECT_EQ(condition("Complete"),
              "True CompletionsReached: Reached expected number of succeeded pods");
    EXPECT_EQ(tracked(), 0U);
    EXPECT_EQ(status("uncountedTerminatedPods"), "{}");
  }
  // Whoever begins anew finds nothing to do.
  void expect_at_rest() {
    const std::string job_before(job()->json());
    std::vector<std::string> before;
    for (const api::ObjectPtr& pod : pods()) before.emplace_back(pod->json());
    world_.restart();
    world_.settle();
    EXPECT_EQ(job()->json(), job_before);
    std::vector<std::string> after;
    for (const api::ObjectPtr& pod : pods()) after.emplace_back(pod->json());
    EXPECT_EQ(after, before);
  }

  // Until this many writes are done by controllers, but for events; those behind fail.
  size_t writes_left_ = std::numeric_limits<size_t>::max();
  bool last_is_done_ = false;  // the first one that fails is done nevertheless

  testkit::TestWorld world_{{
      .entries = {{"job", "job-controller", make_job_controller}},
      .between = [this](std::unique_ptr<client::Client> client) -> std::unique_ptr<client::Client> {
        return std::make_unique<MortalClient>(std::move(client), writes_left_, last_is_done_);
      },
  }};
};

}  // namespace proa::controllers::jobs
