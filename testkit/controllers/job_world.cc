#include "testkit/controllers/job_world.h"

#include <algorithm>

#include "api/object/view.h"
#include "controllers/framework/conditions.h"
#include "controllers/workload/job/job_pod.h"
#include "controllers/workload/job/jobs.h"
#include "json/print.h"
#include "testkit/controllers/mortal_client.h"

namespace proa::testkit {

using controllers::jobs::job_pod;

JobWorld::JobWorld()
    : world_({
          .entries = {{"job", "job-controller", controllers::make_job_controller}},
          .between =
              [this](std::unique_ptr<client::Client> client) -> std::unique_ptr<client::Client> {
            return std::make_unique<MortalClient>(std::move(client), writes_left_, last_is_done_);
          },
      }) {}

void JobWorld::create_job(const std::string& fields, const std::string& policy) {
  world_.create(
      "batch", "jobs", "default",
      R"({"metadata":{"name":"work"},"spec":{)" + fields +
          R"("template":{"metadata":{"labels":{"app":"work"}},"spec":{"restartPolicy":")" + policy +
          R"(","containers":[{"name":"c","image":"i"}]}}}})");
  world_.settle();
}

void JobWorld::patch_job(const std::string& spec) {
  world_.patch("batch", "jobs", "default", "work", "{\"spec\":" + spec + "}");
  world_.settle();
}

void JobWorld::remove_job(api::Propagation how) {
  ASSERT_TRUE(
      world_.client()
          .remove(world_.place("batch", "jobs", "default", "work"), {.propagation = how}, {})
          .ok());
}

std::vector<std::string> JobWorld::active() {
  std::vector<std::string> names;
  for (const api::ObjectPtr& pod : pods()) {
    if (job_pod(*pod).active()) names.emplace_back(pod->metadata().name);
  }
  return names;
}

std::string JobWorld::active_at(int64_t index) {
  for (const api::ObjectPtr& pod : pods()) {
    if (job_pod(*pod).active() && job_pod(*pod).index == index) {
      return std::string(pod->metadata().name);
    }
  }
  return "";
}

size_t JobWorld::tracked() {
  const auto all = pods();
  return static_cast<size_t>(
      std::count_if(all.begin(), all.end(), [](const auto& pod) { return job_pod(*pod).tracked; }));
}

void JobWorld::set_pod(const std::string& name, const std::string& phase, const std::string& more) {
  world_.patch("", "pods", "default", name,
               R"({"status":{)" + more + R"("phase":")" + phase + R"("}})", "status");
}

void JobWorld::end_pod(const std::string& name, int exit_code) {
  set_pod(name, exit_code == 0 ? "Succeeded" : "Failed",
          R"("containerStatuses":[{"name":"c","image":"i","imageID":"","ready":false,)"
          R"("restartCount":0,"state":{"terminated":{"exitCode":)" +
              std::to_string(exit_code) + R"(,"finishedAt":")" + format_time(world_.clock().now()) +
              R"("}}}],)");
}

void JobWorld::end_all(int exit_code) {
  for (const std::string& name : active()) end_pod(name, exit_code);
  world_.settle();
}

std::string JobWorld::counts() {
  const json::Document document = job_document();
  std::string text;
  for (const char* name : {"active", "ready", "terminating", "succeeded", "failed"}) {
    const api::View count = api::View(document.root())["status"][name];
    text += (text.empty() ? "" : " ") + std::string(name) + "=" + std::to_string(count.integer());
  }
  return text;
}

std::string JobWorld::status(std::string_view name) {
  const json::Document document = job_document();
  const api::View found = api::View(document.root())["status"][name];
  if (!found) return "-";
  return found.is(json::Kind::kString) ? std::string(found.text()) : json::print(*found.value());
}

std::string JobWorld::condition(std::string_view type) {
  const json::Document document = job_document();
  const api::View found = controllers::find_condition(api::View(document.root())["status"], type);
  if (!found) return "";
  return std::string(found["status"].text()) + " " + std::string(found["reason"].text()) + ": " +
         std::string(found["message"].text());
}

int64_t JobWorld::events(std::string_view wanted) {
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

void JobWorld::expect_complete() {
  EXPECT_EQ(condition("Complete"),
            "True CompletionsReached: Reached expected number of succeeded pods");
  EXPECT_EQ(tracked(), 0U);
  EXPECT_EQ(status("uncountedTerminatedPods"), "{}");
}

void JobWorld::expect_at_rest() {
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

}  // namespace proa::testkit
