#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "cel/cost/estimate.h"

namespace proa::cel {

// A path from a variable, as a slice of Go: appending to two copies of one may write to the same
// place, so that the last name counts for both. Upstream's estimates depend on it: where a range
// has room for one more name, the key of a loop has the size of the value (cel-go's pushIterValue).
class Path {
 public:
  Path() = default;
  explicit Path(std::string_view variable) { append(variable); }

  bool empty() const { return size_ == 0; }
  std::string_view front() const { return names_->front(); }
  void append(std::string_view name) {
    if (names_ == nullptr || size_ == names_->size()) {
      auto more = std::make_shared<std::vector<std::string_view>>(std::max<size_t>(1, 2 * size_));
      std::copy_n(names().begin(), size_, more->begin());
      names_ = std::move(more);
    }
    (*names_)[size_++] = name;
  }
  std::span<const std::string_view> names() const {
    return names_ == nullptr ? std::span<const std::string_view>()
                             : std::span<const std::string_view>(names_->data(), size_);
  }

 private:
  std::shared_ptr<std::vector<std::string_view>> names_;
  size_t size_ = 0;
};

// An argument of a call whose cost is estimated.
struct CostNode {
  const Expr* expr = nullptr;
  const Type* type = nullptr;
  Path path;                  // empty: it does not lie in a variable
  std::optional<Range> size;  // where it follows from the expression
};

struct CallEstimate {
  Range cost;
  std::optional<Range> result_size;
};

struct EstimatedCall {
  std::string_view function;
  std::string_view overload;
  const CostNode* target = nullptr;
  std::span<const CostNode> args;
};

// The cost of a call of cel-go's libraries of lists and sets, without that of its arguments.
std::optional<CallEstimate> estimate_list_call(const EstimatedCall& call, const SizeOf& size_of);

// The cost of a call of Kubernetes' libraries, without that of its arguments; nullopt for other
// functions.
std::optional<CallEstimate> estimate_kubernetes_call(const EstimatedCall& call,
                                                     const SizeOf& size_of);

}  // namespace proa::cel
