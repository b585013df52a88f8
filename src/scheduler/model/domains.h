#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace proa::scheduler {

using NodeIndex = uint32_t;
using DomainIndex = int32_t;
inline constexpr DomainIndex kNoDomain = -1;  // the node does not have the label

// Groups nodes by the value of one label (zone, host). Domains are numbers, so that counting by
// domain is an array access.
class Domains {
 public:
  explicit Domains(std::string key) : key_(std::move(key)) {}

  const std::string& key() const { return key_; }
  DomainIndex of(NodeIndex node) const { return node < of_.size() ? of_[node] : kNoDomain; }
  // Number of domains that ever had a node; some may be empty.
  size_t size() const { return values_.size(); }
  const std::string& value(DomainIndex domain) const { return values_[domain]; }
  size_t nodes_in(DomainIndex domain) const { return nodes_[domain]; }

  void set(NodeIndex node,
           const std::string_view* value);  // null: the node does not have the label

 private:
  std::string key_;
  std::vector<DomainIndex> of_;
  std::vector<std::string> values_;
  std::vector<size_t> nodes_;
  std::unordered_map<std::string, DomainIndex> by_value_;
};

}  // namespace proa::scheduler
