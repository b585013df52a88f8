#include "kinds/core/pods/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "kinds/core/resources/resources.h"
#include "kinds/printing/texts.h"

namespace proa::kinds::pods {

namespace rows {

constexpr Column kPodColumns[] = {
    {.name = "Name", .format = "name"},
    {.name = "Ready"},
    {.name = "Status"},
    {.name = "Restarts"},
    {.name = "Age"},
    {.name = "IP", .priority = 1},
    {.name = "Node", .priority = 1},
    {.name = "Nominated Node", .priority = 1},
    {.name = "Readiness Gates", .priority = 1},
};

constexpr Column kTemplateColumns[] = {
    {.name = "Name", .format = "name"},
    {.name = "Containers"},
    {.name = "Images"},
    {.name = "Pod Labels"},
};

// Collects the values of a row, container by container.
struct Summary {
  std::string status;
  int64_t ready = 0;
  int64_t total = 0;
  int64_t restarts = 0;
  std::string_view last_restart;

  // All times have the same format, so they compare as texts.
  void count_restarts(View container) {
    restarts += container["restartCount"].integer();
    last_restart =
        std::max(last_restart, container["lastState"]["terminated"]["finishedAt"].text());
  }
};

bool is_condition_true(View status, std::string_view type) {
  for (const View condition : status["conditions"].items())
    if (condition["type"].text() == type && condition["status"].text() == "True") return true;
  return false;
}

std::string start_status(View status) {
  for (const View condition : status["conditions"].items()) {
    if (condition["type"].text() == "PodScheduled" &&
        condition["reason"].text() == "SchedulingGated") {
      return "SchedulingGated";
    }
  }
  const std::string_view reason = status["reason"].text();
  return std::string(reason.empty() ? status["phase"].text() : reason);
}

std::string end_reason(View terminated) {
  if (const auto reason = terminated["reason"].text(); !reason.empty()) return std::string(reason);
  if (const int64_t signal = terminated["signal"].integer(); signal != 0)
    return fmt::format("Signal:{}", signal);
  return fmt::format("ExitCode:{}", terminated["exitCode"].integer());
}

// Whether the pod still waits for this init container or a later one.
bool waits_for(View container, bool sidecar, const std::string& progress, Summary& summary) {
  const View terminated = container["state"]["terminated"];
  const std::string_view waiting = container["state"]["waiting"]["reason"].text();
  if (terminated.exists() && terminated["exitCode"].integer() == 0) return false;
  if (sidecar && container["started"].flag()) {
    if (container["ready"].flag()) ++summary.ready;
    return false;
  }
  if (terminated.exists()) {
    summary.status = fmt::format("Init:{}", end_reason(terminated));
  } else if (!waiting.empty() && waiting != "PodInitializing") {
    summary.status = fmt::format("Init:{}", waiting);
  } else {
    summary.status = fmt::format("Init:{}", progress);
  }
  return true;
}

void count_containers(View status, Summary& summary) {
  bool any_running = false;
  std::string failure;
  const auto containers = status["containerStatuses"].items();
  // In reverse order, so that the first one wins.
  for (size_t i = containers.size(); i > 0; --i) {
    const View container = containers[i - 1];
    const View terminated = container["state"]["terminated"];
    const std::string_view waiting = container["state"]["waiting"]["reason"].text();
    summary.count_restarts(container);
    if (!waiting.empty()) {
      summary.status = waiting;
    } else if (terminated.exists()) {
      summary.status = end_reason(terminated);
      if (terminated["exitCode"].integer() != 0) failure = summary.status;
    } else if (container["ready"].flag() && container["state"]["running"].exists()) {
      any_running = true;
      ++summary.ready;
    }
  }
  if (summary.status != "Completed") return;
  if (any_running && is_condition_true(status, "Ready")) {
    summary.status = "Running";
  } else if (!failure.empty()) {
    summary.status = failure;
  } else if (any_running) {
    summary.status = "NotReady";
  }
}

Summary summarize(View pod) {
  const View status = pod["status"];
  Summary summary{.status = start_status(status),
                  .total = static_cast<int64_t>(pod["spec"]["containers"].size())};
  const View init = pod["spec"]["initContainers"];
  std::set<std::string_view> sidecars;
  for (const View container : init.items())
    if (is_sidecar(container)) sidecars.insert(container["name"].text());
  summary.total += static_cast<int64_t>(
      std::count_if(init.items().begin(), init.items().end(),
                    [](const json::Value& container) { return is_sidecar(container); }));

  Summary all_init;
  Summary only_sidecars;
  bool initializing = false;
  size_t index = 0;
  for (const View container : status["initContainerStatuses"].items()) {
    const bool sidecar = sidecars.contains(container["name"].text());
    all_init.count_restarts(container);
    if (sidecar) only_sidecars.count_restarts(container);
    initializing =
        waits_for(container, sidecar, fmt::format("{}/{}", index++, init.size()), summary);
    if (initializing) break;
  }
  const bool initialized = !initializing || is_condition_true(status, "Initialized");
  const Summary& before = initialized ? only_sidecars : all_init;
  summary.restarts = before.restarts;
  summary.last_restart = before.last_restart;
  if (initialized) count_containers(status, summary);

  if (pod["metadata"]["deletionTimestamp"].exists()) {
    const std::string_view phase = status["phase"].text();
    if (status["reason"].text() == "NodeLost") {
      summary.status = "Unknown";
    } else if (phase != "Failed" && phase != "Succeeded") {
      summary.status = "Terminating";
    }
  }
  return summary;
}

std::string restarts_text(const Summary& summary, Time now) {
  const auto last = parse_time(summary.last_restart);
  if (summary.restarts == 0 || !last.ok()) return std::to_string(summary.restarts);
  return fmt::format("{} ({} ago)", summary.restarts, human_duration(now - *last));
}

// The first condition of a type counts.
bool is_gate_open(View status, std::string_view type) {
  for (const View condition : status["conditions"].items())
    if (condition["type"].text() == type) return condition["status"].text() == "True";
  return false;
}

std::string gates_text(View pod) {
  const View gates = pod["spec"]["readinessGates"];
  if (gates.empty()) return "<none>";
  size_t open = 0;
  for (const View gate : gates.items())
    if (is_gate_open(pod["status"], gate["conditionType"].text())) ++open;
  return fmt::format("{}/{}", open, gates.size());
}

void text_or_none(View text, Cells& cells) {
  cells.text(text.text().empty() ? "<none>" : text.text());
}

}  // namespace rows

std::span<const Column> pod_columns() { return rows::kPodColumns; }

void pod_row(View pod, Cells& cells) {
  const rows::Summary summary = rows::summarize(pod);
  cells.text(pod["metadata"]["name"].text());
  cells.text(fmt::format("{}/{}", summary.ready, summary.total));
  cells.text(summary.status);
  cells.text(rows::restarts_text(summary, cells.now()));
  cells.age(pod["metadata"]["creationTimestamp"]);
  rows::text_or_none(pod["status"]["podIPs"].item(0)["ip"], cells);
  rows::text_or_none(pod["spec"]["nodeName"], cells);
  rows::text_or_none(pod["status"]["nominatedNodeName"], cells);
  cells.text(rows::gates_text(pod));
}

std::span<const Column> pod_template_columns() { return rows::kTemplateColumns; }

void pod_template_row(View pod_template, Cells& cells) {
  cells.text(pod_template["metadata"]["name"].text());
  const View containers = pod_template["template"]["spec"]["containers"];
  cells.text(join_member(containers, "name"));
  cells.text(join_member(containers, "image"));
  cells.text(format_labels(pod_template["template"]["metadata"]["labels"]));
}

}  // namespace proa::kinds::pods
