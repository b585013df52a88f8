#include "scheduler/bind/pod_report.h"

#include "api/object/edit.h"
#include "api/object/view.h"
#include "json/print.h"

namespace proa::scheduler {
namespace pod_report {

using api::Edit;
using api::View;

View scheduled_condition(View status) {
  for (const View condition : status["conditions"].items()) {
    if (condition["type"].text() == "PodScheduled") return condition;
  }
  return {};
}

bool says(View condition, const Pod& pod, const PodReport& report) {
  return condition["status"].text() == "False" && condition["reason"].text() == report.reason &&
         condition["message"].text() == report.message &&
         condition["observedGeneration"].integer() == pod.object->metadata().generation;
}

void put_condition(const Edit& status, View before, const Pod& pod, const PodReport& report,
                   Time now) {
  const Edit condition = status.array("conditions").push_object();
  condition.set("type", "PodScheduled");
  condition.set("status", "False");
  condition.set("reason", report.reason);
  condition.set("message", report.message);
  condition.set("observedGeneration", pod.object->metadata().generation);
  const bool was_so = before["status"].text() == "False";
  condition.set("lastTransitionTime",
                was_so ? std::string(before["lastTransitionTime"].text()) : format_time(now));
}

}  // namespace pod_report

std::string report_patch(const Pod& pod, const PodReport& report, Time now) {
  using namespace pod_report;
  const Result<json::Document> document = pod.object->document();
  if (!document) return {};
  const View before = View(document->root())["status"];
  const View condition = scheduled_condition(before);
  json::Document patch;
  patch.root() = json::Value::object();
  const Edit root(patch);
  // Only this very pod, not one that took its name meanwhile.
  root.object("metadata").set("uid", pod.uid().view());
  bool needed = false;
  if (!report.reason.empty() && !says(condition, pod, report)) {
    put_condition(root.object("status"), condition, pod, report, now);
    needed = true;
  }
  if (report.nominated_node && *report.nominated_node != before["nominatedNodeName"].text()) {
    // Null removes the field.
    const Edit status = root.object("status");
    if (report.nominated_node->empty()) {
      status.set("nominatedNodeName", json::Value());
    } else {
      status.set("nominatedNodeName", report.nominated_node->view());
    }
    needed = true;
  }
  return needed ? json::print(patch.root()) : std::string();
}

}  // namespace proa::scheduler
