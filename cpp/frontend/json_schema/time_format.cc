// The automaton of a time (RFC 3339), written state by state.
//
// A leap second is 23:59:60 in UTC, so the offset fixes the local hour and minute: the automaton
// remembers the minute of the day until the offset has been read. Written state by state, because a
// regular expression would need 2,880 branches. States of one kind come in a row, by the part of
// the time that they remember.
#include "frontend/json_schema/time_format.h"

#include <utility>

namespace xgrammar::json_schema {

namespace {

class TimeWriter {
 public:
  /// Behind the states that `table` has; the first one written is the start.
  explicit TimeWriter(DfaTable* table) : table_(*table), base_(table->num_states()) {}

  void Write() {
    WriteHoursAndMinutes();
    WriteSeconds();
    WriteOrdinaryTail();
    WriteFixedOffsets();
  }

 private:
  static constexpr int kMinutesPerDay = 24 * 60;
  // Numbers of the states relative to the start.
  static constexpr int kHourTens = 1;  // After the first digit: 0, 1, 2.
  static constexpr int kHour = kHourTens + 3;
  static constexpr int kHourColon = kHour + 24;
  static constexpr int kMinuteTens = kHourColon + 24;   // By hour and digit.
  static constexpr int kMinute = kMinuteTens + 24 * 6;  // By minute of the day, as below.
  static constexpr int kMinuteColon = kMinute + kMinutesPerDay;
  static constexpr int kSix = kMinuteColon + kMinutesPerDay;  // After the 6 of 60 seconds.
  static constexpr int kLeap = kSix + kMinutesPerDay;
  static constexpr int kLeapPoint = kLeap + kMinutesPerDay;
  static constexpr int kLeapFraction = kLeapPoint + kMinutesPerDay;
  static constexpr int kUnits = kLeapFraction + kMinutesPerDay;  // Seconds other than 60.
  static constexpr int kAfter = kUnits + 1;
  static constexpr int kPoint = kAfter + 1;
  static constexpr int kFraction = kPoint + 1;
  static constexpr int kSign = kFraction + 1;
  static constexpr int kOffsetHour01 = kSign + 1;
  static constexpr int kOffsetHour2 = kOffsetHour01 + 1;
  static constexpr int kOffsetColon = kOffsetHour2 + 1;
  static constexpr int kOffsetMinute = kOffsetColon + 1;
  static constexpr int kOffsetLast = kOffsetMinute + 1;
  static constexpr int kDone = kOffsetLast + 1;
  // What is left of an offset that is fixed: hh:mm, h:mm, :mm, mm, m.
  static constexpr int kRest5 = kDone + 1;
  static constexpr int kRest4 = kRest5 + kMinutesPerDay;
  static constexpr int kRest3 = kRest4 + 10 * 60;
  static constexpr int kRest2 = kRest3 + 60;
  static constexpr int kRest1 = kRest2 + 60;

  void Edge(int lo, int hi, int to) {
    table_.AddEdge(static_cast<uint32_t>(lo), static_cast<uint32_t>(hi), base_ + to);
  }
  void Digit(int digit, int to) { Edge('0' + digit, '0' + digit, to); }
  void End(bool accept = false) { table_.EndState(accept); }

  void WriteHoursAndMinutes() {
    for (int tens = 0; tens < 3; ++tens) Digit(tens, kHourTens + tens);
    End();
    for (int tens = 0; tens < 3; ++tens) {
      for (int ones = 0; ones < (tens == 2 ? 4 : 10); ++ones) Digit(ones, kHour + 10 * tens + ones);
      End();
    }
    for (int hour = 0; hour < 24; ++hour) {
      Edge(':', ':', kHourColon + hour);
      End();
    }
    for (int hour = 0; hour < 24; ++hour) {
      for (int tens = 0; tens < 6; ++tens) Digit(tens, kMinuteTens + 6 * hour + tens);
      End();
    }
    for (int ten_minutes = 0; ten_minutes < 24 * 6; ++ten_minutes) {
      for (int ones = 0; ones < 10; ++ones) Digit(ones, kMinute + 10 * ten_minutes + ones);
      End();
    }
  }

  void WriteSeconds() {
    WriteByMinute([&](int minute) { Edge(':', ':', kMinuteColon + minute); });
    WriteByMinute([&](int minute) {
      Edge('0', '5', kUnits);
      Digit(6, kSix + minute);
    });
    WriteByMinute([&](int minute) { Digit(0, kLeap + minute); });
    WriteByMinute([&](int minute) { WriteLeapOffset(minute, '.', '.', kLeapPoint); });
    WriteByMinute([&](int minute) { Edge('0', '9', kLeapFraction + minute); });
    WriteByMinute([&](int minute) { WriteLeapOffset(minute, '0', '9', kLeapFraction); });
  }

  template <typename WriteEdges>
  void WriteByMinute(WriteEdges write_edges) {
    for (int minute = 0; minute < kMinutesPerDay; ++minute) {
      write_edges(minute);
      End();
    }
  }

  // After a leap second, with or without a fraction, that may go on by some characters: the only
  // offset by which this minute is the last one of the day in UTC.
  void WriteLeapOffset(int minute, int lo, int hi, int more) {
    Edge('+', '+', kRest5 + (minute + 1) % kMinutesPerDay);
    Edge('-', '-', kRest5 + kMinutesPerDay - 1 - minute);
    Edge(lo, hi, more + minute);
    if (minute != kMinutesPerDay - 1) return;
    for (const int c : {'Z', 'z'}) Edge(c, c, kDone);
  }

  // `[.d+]` and the offset, shared by all times without a leap second.
  void WriteOrdinaryTail() {
    const auto write_offset = [&](int lo, int hi, int more) {
      for (const int c : {'+', '-'}) Edge(c, c, kSign);
      Edge(lo, hi, more);
      for (const int c : {'Z', 'z'}) Edge(c, c, kDone);
      End();
    };
    Edge('0', '9', kAfter);  // kUnits
    End();
    write_offset('.', '.', kPoint);  // kAfter
    Edge('0', '9', kFraction);       // kPoint
    End();
    write_offset('0', '9', kFraction);  // kFraction
    Edge('0', '1', kOffsetHour01);      // kSign
    Digit(2, kOffsetHour2);
    End();
    Edge('0', '9', kOffsetColon);  // kOffsetHour01
    End();
    Edge('0', '3', kOffsetColon);  // kOffsetHour2
    End();
    Edge(':', ':', kOffsetMinute);  // kOffsetColon
    End();
    Edge('0', '5', kOffsetLast);  // kOffsetMinute
    End();
    Edge('0', '9', kDone);  // kOffsetLast
    End();
    End(true);  // kDone
  }

  void WriteFixedOffsets() {
    for (int rest = 0; rest < kMinutesPerDay; ++rest) {
      const int hour = rest / 60;
      Digit(hour / 10, kRest4 + hour % 10 * 60 + rest % 60);
      End();
    }
    for (int rest = 0; rest < 10 * 60; ++rest) {
      Digit(rest / 60, kRest3 + rest % 60);
      End();
    }
    for (int minute = 0; minute < 60; ++minute) {
      Edge(':', ':', kRest2 + minute);
      End();
    }
    for (int minute = 0; minute < 60; ++minute) {
      Digit(minute / 10, kRest1 + minute % 10);
      End();
    }
    for (int ones = 0; ones < 10; ++ones) {
      Digit(ones, kDone);
      End();
    }
  }

  DfaTable& table_;
  const int32_t base_;
};

}  // namespace

CodePointDfa TimeFormatToDfa() {
  DfaTable table;
  TimeWriter(&table).Write();
  return CodePointDfa(std::move(table));
}

CodePointDfa DateTimeFormatToDfa(const CodePointDfa& date) {
  DfaTable table;
  const auto time = static_cast<int32_t>(date.states().size());
  for (const CodePointDfa::StateView& state : date.states()) {
    for (const CodePointDfa::Edge& edge : state.edges) table.AddEdge(edge.lo, edge.hi, edge.target);
    if (state.accept) {
      for (const uint32_t c : {uint32_t{'T'}, uint32_t{'t'}}) table.AddEdge(c, c, time);
    }
    table.EndState(false);
  }
  TimeWriter(&table).Write();
  return CodePointDfa(std::move(table));
}

}  // namespace xgrammar::json_schema
