#include "proxy/service_proxy.h"

#include <thread>

#include "base/log.h"
#include "base/strings.h"
#include "proxy/flows/tracking.h"
#include "proxy/iptables/iptables_rules.h"
#include "proxy/nftables/nftables_rules.h"

namespace proa::proxy {
namespace service_proxy {

const Log kLog{"proxy"};
constexpr size_t kMaxRecord = 64;

Result<std::unique_ptr<Rules>> open_rules(Mode mode, Clock& clock) {
  if (mode == Mode::kNftables) {
    const std::vector<Family> families = TRY(nftables::usable_families(clock));
    return std::unique_ptr<Rules>(TRY(nftables::NftablesRules::open(clock, families)));
  }
  TRY(iptables::check_programs());
  return iptables::make_rules(clock);
}

Result<void> remove_rules(Mode mode, Clock& clock) {
  const auto rules = open_rules(mode, clock);
  // Without its programs there are none.
  if (rules.is(Reason::kNotFound)) return {};
  if (!rules) return rules.status();
  return (*rules)->remove();
}

// The mode in the record; nullopt if there is none, or not one that we know.
std::optional<Mode> recorded_mode(Files& files, const std::string& record) {
  const Result<std::string> text = files.read_file(record, kMaxRecord);
  if (!text) return std::nullopt;
  const Result<Mode> mode = parse_mode(trim(*text));
  return mode ? std::optional(*mode) : std::nullopt;
}

}  // namespace service_proxy

ServiceProxy::ServiceProxy(Context context, OnlyOne only_one, std::unique_ptr<Rules> rules)
    : only_one_(std::move(only_one)),
      rules_(std::move(rules)),
      flows_(context.clock),
      proxier_(std::make_unique<Proxier>(Proxier::Context{.client = context.client,
                                                          .schema = context.schema,
                                                          .clock = context.clock,
                                                          .random = context.random,
                                                          .loops = context.loops,
                                                          .pool = context.pool,
                                                          .rules = *rules_,
                                                          .flows = flows_,
                                                          .options = context.options})) {}

Result<std::unique_ptr<ServiceProxy>> ServiceProxy::make(Context context) {
  OnlyOne only_one = TRY(OnlyOne::take());
  const Mode mode = context.options.mode;
  std::unique_ptr<Rules> rules = TRY(service_proxy::open_rules(mode, context.clock));
  const std::optional<Mode> before = service_proxy::recorded_mode(context.files, context.record);
  if (before && *before != mode) {
    TRY(service_proxy::remove_rules(*before, context.clock));
    service_proxy::kLog.info("rules of the former mode are removed", {{"mode", name_of(*before)}});
  }
  prepare_tracking(wanted_tracking(static_cast<int>(std::thread::hardware_concurrency())));
  TRY(context.files.write_file_atomic(context.record, name_of(mode), 0644));
  return std::unique_ptr<ServiceProxy>(
      new ServiceProxy(std::move(context), std::move(only_one), std::move(rules)));
}

Result<bool> remove_recorded_rules(Files& files, Clock& clock, const std::string& record) {
  const std::optional<Mode> mode = service_proxy::recorded_mode(files, record);
  if (!mode) return false;
  const OnlyOne only_one = TRY(OnlyOne::take());
  TRY(service_proxy::remove_rules(*mode, clock));
  TRY(files.remove(record));
  return true;
}

Result<void> remove_all_rules(Clock& clock) {
  const OnlyOne only_one = TRY(OnlyOne::take());
  for (const Mode mode : {Mode::kNftables, Mode::kIptables}) {
    TRY(service_proxy::remove_rules(mode, clock));
  }
  return {};
}

}  // namespace proa::proxy
