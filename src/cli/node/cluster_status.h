#pragma once

#include <sys/types.h>

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/object/object.h"
#include "cli/node/local_status.h"
#include "json/value.h"

namespace proa::cli {

// The result of `proa status`.
struct ClusterStatus {
  struct Node {
    std::string name = {};
    bool ready = false;
    std::string why_not = {};                // message of the Ready condition
    std::vector<std::string> warnings = {};  // what is wrong though it is ready
    bool cordoned = false;
    std::string version = {};
  };
  struct Leader {
    std::string component = {};  // "kube-scheduler"
    std::string holder = {};     // empty: nobody leads
  };
  std::string data_dir = {};
  std::string server = {};
  LocalStatus local = {};
  std::vector<Leader> leaders = {};
  std::vector<Node> nodes = {};
  std::map<std::string, int> pods = {};  // by phase
  std::string pods_unknown = {};         // why they are not known; empty: they are
  // What the server says is of a node that does not run: its last report.
  bool outdated = false;
  std::vector<std::pair<std::string, std::string>> problems = {};  // failed health check, cause
};

// The holder of a Lease that has not expired.
ClusterStatus::Leader leader_of(const api::Object& lease, Time now);
ClusterStatus::Node node_status(const api::Object& node);
// The names of the health checks that failed, from the text of /readyz?verbose.
std::vector<std::string> failed_checks(std::string_view report);
// The cause, from the text of /readyz/NAME.
std::string cause_of(std::string_view answer);
std::map<std::string, int> count_phases(std::span<const api::ObjectPtr> pods);

std::string status_text(const ClusterStatus& status);
json::Document status_document(const ClusterStatus& status);

}  // namespace proa::cli
