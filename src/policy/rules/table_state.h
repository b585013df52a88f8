#pragma once

#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "policy/rules/layout.h"

namespace proa::policy {

// What brings a table to its next state.
struct TableChange {
  struct Elements {
    nft::Set set;
    std::vector<nft::Element> removed = {};
    std::vector<nft::Element> added = {};
  };
  std::vector<nft::Set> new_sets = {};
  std::vector<nft::Chain> new_chains = {};
  std::vector<Elements> elements = {};  // also of new sets
  // Without use once the rest has happened; chains may lead to each other.
  std::vector<std::string> old_chains = {};
  std::vector<std::string> old_sets = {};
};

// The table of one family, as the kernel has it after the changes that this returned. Pure.
class TableState {
 public:
  // `bridge`: as base_chains().
  explicit TableState(nft::TableName name, std::string bridge = {})
      : name_(std::move(name)), family_(name_.family), bridge_(std::move(bridge)) {}

  const nft::TableName& name() const { return name_; }
  // `change`: what the model has changed since the last time.
  TableChange change(const PolicyModel& model, const ModelChange& change);
  // All of it, whatever there was before.
  nft::Table table(const PolicyModel& model);

 private:
  using Policies = std::vector<PolicyId>;
  // Pods with the same policies in one direction.
  struct Group {
    std::string chain;
    size_t pods = 0;
  };
  using PodPolicies = std::array<Policies, 2>;  // by direction

  void change_sets(const PolicyModel& model, const SetChanges& changes, TableChange& into);
  void add_policy(const PolicyModel& model, PolicyId id, TableChange& into);
  void remove_policy(PolicyId id, TableChange& into);
  void change_pod(const PolicyModel& model, const IpAddress& address, TableChange& into);
  // The chain for pods with these policies, made for the first.
  std::string join(const PolicyModel& model, Direction direction, const Policies& policies,
                   TableChange& into);
  std::string leave(Direction direction, const Policies& policies, TableChange& into);

  nft::TableName name_;
  nft::Family family_;
  std::string bridge_;
  std::map<std::pair<Direction, Policies>, Group> groups_;
  std::map<IpAddress, PodPolicies> pods_;  // only isolated ones
  // What policies have for themselves.
  std::map<PolicyId, std::vector<std::string>> chains_;
  std::map<PolicyId, std::vector<std::string>> ranges_;
  std::map<SetId, std::string> sets_;
  uint64_t last_group_ = 0;
};

}  // namespace proa::policy
