#include "proxy/service_proxy.h"

#include <thread>

#include "proxy/flows/tracking.h"

namespace proa::proxy {

ServiceProxy::ServiceProxy(Context context, OnlyOne only_one, std::unique_ptr<Rules> rules,
                           ModeRecord record)
    : only_one_(std::move(only_one)),
      rules_(std::move(rules)),
      record_(std::move(record)),
      takeover_(context.files, context.clock, context.options.mode),
      flows_(context.clock),
      proxier_(std::make_unique<Proxier>(Proxier::Context{.client = context.client,
                                                          .schema = context.schema,
                                                          .clock = context.clock,
                                                          .random = context.random,
                                                          .loops = context.loops,
                                                          .pool = context.pool,
                                                          .rules = *rules_,
                                                          .flows = flows_,
                                                          .remove_former =
                                                              [this](bool holds_ports) {
                                                                record_.remove_former();
                                                                return takeover_.run(holds_ports);
                                                              },
                                                          .options = context.options})) {}

Result<std::unique_ptr<ServiceProxy>> ServiceProxy::make(Context context) {
  OnlyOne only_one = TRY(OnlyOne::take());
  const Mode mode = context.options.mode;
  std::unique_ptr<Rules> rules = TRY(open_rules(mode, context.clock));
  prepare_tracking(wanted_tracking(static_cast<int>(std::thread::hardware_concurrency())));
  ModeRecord record(context.files, context.clock, context.record);
  TRY(record.begin(mode));
  return std::unique_ptr<ServiceProxy>(new ServiceProxy(std::move(context), std::move(only_one),
                                                        std::move(rules), std::move(record)));
}

Result<bool> remove_recorded_rules(Files& files, Clock& clock, const std::string& record) {
  // Nothing is recorded where no proxy ran.
  if (!TRY(files.exists(record))) return false;
  const OnlyOne only_one = TRY(OnlyOne::take());
  return ModeRecord(files, clock, record).remove_all();
}

Result<void> remove_all_rules(Files& files, Clock& clock, const std::string& record) {
  ModeRecord modes(files, clock, record);
  const OnlyOne only_one = TRY(OnlyOne::take());
  for (const Mode mode : {Mode::kNftables, Mode::kIptables}) TRY(modes.begin(mode));
  TRY(modes.remove_all());
  TRY(remove_kube_proxy_tables(clock));
  return {};
}

}  // namespace proa::proxy
