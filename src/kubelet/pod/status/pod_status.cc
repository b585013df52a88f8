#include "kubelet/pod/status/pod_status.h"

#include <algorithm>

#include "api/object/edit.h"
#include "base/net/ip_address.h"
#include "base/utf8.h"
#include "kinds/core/resources/resources.h"
#include "kubelet/model/status_fields.h"
#include "kubelet/pod/status/compute/conditions.h"
#include "kubelet/pod/status/compute/container_statuses.h"
#include "kubelet/pod/status/compute/final_states.h"
#include "kubelet/pod/status/compute/phase.h"
#include "kubelet/pod/status/compute/readiness.h"
#include "kubelet/pod/status/compute/resource_status.h"

namespace proa::kubelet {
namespace pod_status {

using api::Edit;
using api::View;

// What all termination messages of a pod together may take, in bytes.
constexpr size_t kMaxMessages = size_t{12} * 1024;

void write_addresses(Edit status, std::string_view one, std::string_view list,
                     const std::vector<std::string>& addresses) {
  if (addresses.empty()) return;
  status.set(one, addresses.front());
  const Edit written = status.array(list);
  for (const std::string& address : addresses) written.push_object().set("ip", address);
}

// At most one of each family, first that of the node's own address.
std::vector<std::string> choose(const std::vector<std::string>& addresses, bool prefers_v6) {
  std::vector<std::string> chosen;
  for (const bool wants_v4 : {!prefers_v6, prefers_v6}) {
    for (const std::string& text : addresses) {
      const auto address = parse_ip(text);
      if (!address || address->is_v4() != wants_v4) continue;
      chosen.push_back(address->str());
      break;
    }
  }
  return chosen;
}

// Of a pod whose sandbox is gone: those that it had.
std::vector<std::string> pod_addresses(const StatusInputs& inputs, View old) {
  std::vector<std::string> addresses;
  if (const cri::Sandbox* sandbox = inputs.running.ready_sandbox()) {
    addresses = sandbox->addresses;
  } else {
    for (const View address : old["podIPs"].items()) {
      addresses.emplace_back(address["ip"].text());
    }
  }
  if (addresses.empty() && inputs.pod.uses_host_network()) addresses = inputs.facts.host_addresses;
  return addresses;
}

void write_all_addresses(const StatusInputs& inputs, View old, Edit status) {
  const auto& host = inputs.facts.host_addresses;
  const auto first = host.empty() ? std::nullopt : parse_ip(host.front());
  const bool prefers_v6 = first && !first->is_v4();
  write_addresses(status, "hostIP", "hostIPs", choose(host, prefers_v6));
  write_addresses(status, "podIP", "podIPs", choose(pod_addresses(inputs, old), prefers_v6));
}

bool has_regular_in_sandbox(const StatusInputs& inputs) {
  const cri::Sandbox* sandbox = inputs.running.ready_sandbox();
  if (sandbox == nullptr) return false;
  const auto& containers = inputs.running.containers;
  return std::any_of(containers.begin(), containers.end(), [&](const cri::Container& one) {
    const auto spec = find_container(inputs.pod, one.name);
    return one.sandbox_id == sandbox->id && spec && spec->kind == ContainerKind::kRegular;
  });
}

// A final phase never changes.
void write_phase(const StatusInputs& inputs, View old, Edit status) {
  const View told = inputs.pod.status();
  std::string_view phase = phase_by_containers({.pod = inputs.pod,
                                                .status = status.view(),
                                                .initialized = has_regular_in_sandbox(inputs),
                                                .stopped = inputs.stopped,
                                                .restart_after_stop = &inputs.restart_after_stop});
  if (is_final_phase(old["phase"].text())) phase = old["phase"].text();
  const bool ends = !inputs.final_reason.empty();
  if (ends) phase = "Failed";
  if (is_final_phase(told["phase"].text())) phase = told["phase"].text();
  status.set("phase", phase);
  if (ends) {
    status.set("reason", inputs.final_reason);
    status.set("message", inputs.final_message);
    return;
  }
  if (phase != old["phase"].text()) return;
  for (const std::string_view field : {"reason", "message"}) {
    const std::string_view text = old[field].text(told[field].text());
    if (!text.empty()) status.set(field, text);
  }
}

void write_start(Time now, View old, Edit status) {
  if (old["startTime"]) {
    status.copy("startTime", old["startTime"]);
  } else {
    status.set("startTime", format_time(now));
  }
}

void write_generation(const Pod& pod, View old, Edit status) {
  const int64_t seen = std::max(pod.generation(), old["observedGeneration"].integer());
  if (seen != 0) status.set("observedGeneration", seen);
}

// The longest prefix of a text that ends at a character boundary.
std::string_view cut(std::string_view text, size_t limit) {
  if (text.size() <= limit) return text;
  size_t end = 0;
  while (end < limit) {
    const size_t next = end + decode_utf8(text.substr(end)).size;
    if (next > limit) break;
    end = next;
  }
  return text.substr(0, end);
}

void cut_messages(const Pod& pod, Edit status) {
  const size_t limit = kMaxMessages / std::max<size_t>(containers_of(pod).size(), 1);
  for (const std::string_view list :
       {"containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"}) {
    if (!status.has(list)) continue;
    const Edit statuses = status.existing(list);
    for (size_t index = 0; index < statuses.size(); ++index) {
      for (const std::string_view field : {"state", "lastState"}) {
        const Edit container = statuses.item(index);
        const View ended = container[field]["terminated"];
        if (!ended || ended["message"].text().size() <= limit) continue;
        container.object(field)
            .object("terminated")
            .set("message", cut(ended["message"].text(), limit));
      }
    }
  }
}

}  // namespace pod_status

json::Document compute_status(const StatusInputs& inputs) {
  const api::View old = inputs.previous ? inputs.previous : inputs.pod.status();
  json::Document document(json::Arena(), json::Value::object());
  const api::Edit status(document);
  pod_status::write_generation(inputs.pod, old, status);
  write_container_statuses(inputs, old, status);
  write_readiness(inputs, status);
  pod_status::write_phase(inputs, old, status);
  write_pod_resources(inputs, status);
  write_conditions(inputs, old, status);
  // After the conditions, as upstream does: they describe the pod when it was stopped.
  if (inputs.stopped) write_final_states(inputs.pod, status);
  pod_status::write_all_addresses(inputs, old, status);
  pod_status::write_start(inputs.now, old, status);
  status.set("qosClass", kinds::pods::quality_of_service(inputs.pod.spec()));
  pod_status::cut_messages(inputs.pod, status);
  return document;
}

json::Document refused_status(const Pod& pod, std::string_view reason, std::string_view message,
                              Time now) {
  json::Document document(json::Arena(), json::Value::object());
  const api::Edit status(document);
  pod_status::write_generation(pod, pod.status(), status);
  status.set("phase", "Failed");
  status.set("reason", reason);
  status.set("message", "Pod was rejected: " + std::string(message));
  pod_status::write_start(now, pod.status(), status);
  status.set("qosClass", kinds::pods::quality_of_service(pod.spec()));
  return document;
}

std::string_view phase_of(const json::Document& status) {
  return api::View(status.root())["phase"].text();
}

}  // namespace proa::kubelet
