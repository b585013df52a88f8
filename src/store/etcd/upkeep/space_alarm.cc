#include "store/etcd/upkeep/space_alarm.h"

#include "base/log.h"
#include "store/etcd/wire/messages.h"

namespace proa::store::etcd {
namespace space_alarm {

const Log kLog{"store"};

constexpr Duration kInterval = std::chrono::seconds(2);
constexpr Duration kTimeout = std::chrono::seconds(5);

}  // namespace space_alarm

void SpaceAlarm::check() {
  if (asking_.exchange(true)) return;
  client_.start("Maintenance/Alarm", {}, space_alarm::kTimeout,
                [this](const Result<Bytes>& answer) {
                  asking_ = false;
                  const Result<bool> full =
                      answer.ok() ? read_no_space(answer->view()) : Result<bool>(answer.status());
                  if (full.ok()) health_.set_full(*full);
                  if (health_.is_full()) client_.after(space_alarm::kInterval, [this] { check(); });
                });
}

void SpaceAlarm::raised() {
  if (health_.is_full()) return;
  space_alarm::kLog.error("etcd has no space left; only deletes are accepted");
  health_.set_full(true);
  check();
}

}  // namespace proa::store::etcd
