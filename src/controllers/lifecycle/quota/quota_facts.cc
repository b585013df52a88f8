#include "controllers/lifecycle/quota/quota_facts.h"

namespace proa::controllers {
namespace quota_facts_reader {

using kinds::quota::Amounts;

// An empty cluster: only the object itself is measured.
class Nothing final : public kinds::quota::ClusterObjects {
 public:
  explicit Nothing(Time now) : now_(now) {}

  Time now() const override { return now_; }
  bool has(std::string_view, std::string_view) const override { return true; }
  Result<std::vector<api::ObjectPtr>> list(std::string_view, std::string_view,
                                           std::string_view) const override {
    return std::vector<api::ObjectPtr>();
  }

 private:
  const Time now_;
};

Amounts charged(const QuotaFacts& quota, const kinds::quota::Evaluator& evaluator, api::View object,
                const Nothing& nothing) {
  if (!evaluator.is_in_scopes(object, quota.scopes)) return {};
  const Result<Amounts> used = evaluator.usage(object, nothing);
  return used ? kinds::quota::only(*used, quota.names) : Amounts();
}

QuotaFacts read(const api::Object& quota) {
  const Result<json::Document> document = quota.document();
  if (!document) return {};
  const api::View spec = api::View(document->root())["spec"];
  QuotaFacts facts{.hard = kinds::quota::read_amounts(spec["hard"]),
                   .names = {},
                   .scopes = kinds::quota::scope_rules_of(spec)};
  facts.names = kinds::quota::names_of(facts.hard);
  return facts;
}

}  // namespace quota_facts_reader

const QuotaFacts& quota_facts(const api::Object& quota) {
  return quota.kept<QuotaFacts>([&] { return quota_facts_reader::read(quota); });
}

bool limits(const QuotaFacts& quota, const kinds::quota::Evaluator& evaluator) {
  return !evaluator.measured(quota.names, quota_facts_reader::Nothing(Time{})).empty();
}

bool charges_differently(const QuotaFacts& quota, const kinds::quota::Evaluator& evaluator,
                         api::View before, api::View after, Time now) {
  const quota_facts_reader::Nothing nothing(now);
  return quota_facts_reader::charged(quota, evaluator, before, nothing) !=
         quota_facts_reader::charged(quota, evaluator, after, nothing);
}

bool put_quota_status(api::Edit quota, const QuotaFacts& facts,
                      const kinds::quota::Amounts& measured) {
  using kinds::quota::Amounts;
  const api::View status = quota["status"];
  const Amounts stated = kinds::quota::read_amounts(status["used"]);
  Amounts used = kinds::quota::only(stated, facts.names);
  for (const auto& [name, quantity] : measured) used.insert_or_assign(name, quantity);
  if (status["hard"].exists() && status["used"].exists() && used == stated &&
      kinds::quota::read_amounts(status["hard"]) == facts.hard) {
    return false;
  }
  const api::Edit edited = quota.object("status");
  edited.copy("hard", quota["spec"]["hard"]);
  edited.set_default("hard", json::Value::object());
  kinds::quota::write_amounts(edited, "used", used);
  return true;
}

}  // namespace proa::controllers
