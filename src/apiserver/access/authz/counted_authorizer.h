#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "apiserver/access/authz/authorization_metrics.h"
#include "apiserver/access/authz/authorizer.h"

namespace proa::apiserver {

// Counts what another authorizer decides.
class CountedAuthorizer final : public Authorizer {
 public:
  // REQUIRES: the metrics outlive it.
  CountedAuthorizer(std::shared_ptr<Authorizer> counted, std::string type, std::string name,
                    AuthorizationMetrics& metrics)
      : counted_(std::move(counted)),
        type_(std::move(type)),
        name_(std::move(name)),
        metrics_(metrics) {}

  Verdict authorize(const Attributes& attributes) override {
    Verdict verdict = counted_->authorize(attributes);
    count(verdict.decision);
    return verdict;
  }
  bool may_wait(const Attributes& attributes) const override {
    return counted_->may_wait(attributes);
  }
  std::optional<Verdict> authorize_now(const Attributes& attributes) override {
    std::optional<Verdict> verdict = counted_->authorize_now(attributes);
    if (verdict) count(verdict->decision);
    return verdict;
  }
  void list_rules(const User& user, std::string_view name_space, RuleList& rules) override {
    counted_->list_rules(user, name_space, rules);
  }

 private:
  void count(Decision decision) {
    if (decision == Decision::kNoOpinion) return;
    // Looked up once: this is done for every request.
    std::atomic<Counter*>& kept = decision == Decision::kAllow ? allowed_ : denied_;
    Counter* counter = kept.load(std::memory_order_acquire);
    if (counter == nullptr) {
      counter = &metrics_.decisions(type_, name_, decision);
      kept.store(counter, std::memory_order_release);
    }
    counter->add();
  }

  const std::shared_ptr<Authorizer> counted_;
  const std::string type_;
  const std::string name_;
  AuthorizationMetrics& metrics_;
  std::atomic<Counter*> allowed_{nullptr};
  std::atomic<Counter*> denied_{nullptr};
};

}  // namespace proa::apiserver
