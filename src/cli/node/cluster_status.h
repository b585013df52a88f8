#pragma once

#include <sys/types.h>

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/object/object.h"
#include "json/value.h"

namespace proa::cli {

// The result of `proa status`.
struct ClusterStatus {
  struct Node {
    std::string name = {};
    bool ready = false;
    std::string why_not = {};  // message of the Ready condition
    std::string version = {};
  };
  std::string data_dir = {};
  std::optional<pid_t> process =
      {};  // of `proa up` or `proa node`; not known for a server without a node
  std::string server = {};
  std::vector<Node> nodes = {};
  std::map<std::string, int> pods = {};  // by phase
};

ClusterStatus::Node node_status(const api::Object& node);
std::map<std::string, int> count_phases(std::span<const api::ObjectPtr> pods);

std::string status_text(const ClusterStatus& status);
json::Document status_document(const ClusterStatus& status);

}  // namespace proa::cli
