#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scheduler/model/cluster.h"

namespace proa::scheduler {

// Numbers by domain, one column for each node label in use.
template <typename Value>
class DomainColumns {
 public:
  struct Column {
    const Domains* domains = nullptr;
    std::vector<Value> values = {};  // by domain

    // Null when the node has no such label.
    const Value* of(NodeIndex node) const {
      const DomainIndex domain = domains->of(node);
      return domain == kNoDomain ? nullptr : &values[domain];
    }
    Value* of(NodeIndex node) {
      const DomainIndex domain = domains->of(node);
      if (domain == kNoDomain) return nullptr;
      // A new domain: this object is about to be recreated, but may be notified of pods before.
      if (static_cast<size_t>(domain) >= values.size()) values.resize(domains->size());
      return &values[domain];
    }
  };

  // The column of that label, made when there is none yet.
  uint32_t index_of(const Cluster& cluster, const std::string& label) {
    for (uint32_t i = 0; i < size(); ++i) {
      if (columns_[i].domains->key() == label) return i;
    }
    const Domains& domains = cluster.domains(label);
    columns_.push_back({.domains = &domains, .values = std::vector<Value>(domains.size())});
    return size() - 1;
  }
  Column& operator[](uint32_t index) { return columns_[index]; }
  uint32_t size() const { return static_cast<uint32_t>(columns_.size()); }
  auto begin() const { return columns_.begin(); }
  auto end() const { return columns_.end(); }

 private:
  std::vector<Column> columns_;
};

}  // namespace proa::scheduler
