#include "scheduler/plugins/resources/fit_filter.h"

#include <algorithm>

#include "scheduler/plugins/resources/shortage.h"

namespace proa::scheduler {

namespace fit_filter {

class Filter final : public NodeFilter {
 public:
  Filter(Resources request, ReasonBook& book) : demand_(std::move(request)), book_(book) {}

  Verdict check(NodeIndex, const Node& node) override {
    return demand_.fits(node) ? Verdict{} : explain(node);
  }

  std::string suggestion(NodeIndex, const Node& node) override {
    demand_.list_shortages(node, shortages_);
    std::string text;
    for (const Shortage& shortage : shortages_) {
      if (!text.empty()) text.append("; ");
      text.append(demand_.describe(shortage));
    }
    return text;
  }

 private:
  // Caches the reasons by the lacking resources: in a full cluster most nodes lack the same ones.
  struct Said {
    std::vector<size_t> resources = {};
    const Verdict::Reasons* reasons = nullptr;
  };

  Verdict explain(const Node& node) {
    demand_.list_shortages(node, shortages_);
    const bool unresolvable = std::any_of(shortages_.begin(), shortages_.end(),
                                          [](const Shortage& one) { return one.unresolvable; });
    return {.code = unresolvable ? Code::kUnresolvable : Code::kUnschedulable,
            .reasons = reasons()};
  }

  const Verdict::Reasons* reasons() {
    for (const Said& said : said_) {
      if (std::equal(said.resources.begin(), said.resources.end(), shortages_.begin(),
                     shortages_.end(),
                     [](size_t a, const Shortage& b) { return a == b.resource; })) {
        return said.reasons;
      }
    }
    Said said;
    Verdict::Reasons words;
    for (const Shortage& shortage : shortages_) {
      said.resources.push_back(shortage.resource);
      words.push_back(demand_.reason(shortage));
    }
    said.reasons = book_.say(Code::kUnschedulable, std::move(words)).reasons;
    return said_.emplace_back(std::move(said)).reasons;
  }

  const Demand demand_;
  ReasonBook& book_;
  std::vector<Shortage> shortages_;  // of the node being looked at, kept for its memory
  std::vector<Said> said_;
};

}  // namespace fit_filter

std::unique_ptr<NodeFilter> make_fit_filter(const FitArgs& args, Resources request,
                                            ReasonBook& book) {
  std::erase_if(request.others, [&](const auto& one) { return args.ignores(one.first); });
  return std::make_unique<fit_filter::Filter>(std::move(request), book);
}

}  // namespace proa::scheduler
