// SPDX-License-Identifier: GPL-2.0-only
/// The handler of a WMI event is given the event's data: it need not ask for it
/// with wmi_get_event_data() nor free it.
//
// Title: take the data of a WMI event from the core
// Replaces: wmi_get_event_data
// Needs: wmi_notify_handler~union acpi_object *
// Since: 6.12
// Confidence: Moderate
// Risk: review

@f@ typedef u32; identifier F, V, R, S; @@
  F(u32 V, ...)
  {
  <+...
  S = wmi_get_event_data(V, &R);
  ...+>
  }

@o@ identifier f.F, f.R, O, V; @@
  F(u32 V, ...)
  {
  <+...
  O = \( (union acpi_object *)R.pointer \| R.pointer \);
  ...+>
  }

@h@ identifier f.F, o.O, V; @@
  F(
- u32 V
+ union acpi_object *O
  , ...)
  { ... }

@depends on h@ identifier f.F, f.S, f.R, f.V, o.O; statement X, Y; @@
  F(...)
  {
  <...
- S = wmi_get_event_data(V, &R);
- if (S == AE_NOT_FOUND) X
- else if (\( S != AE_OK \| ACPI_FAILURE(S) \)) Y
+ if (!O) X
  ...>
  }

@depends on h@ identifier f.F, f.S, f.R, f.V; statement X; @@
  F(...)
  {
  <...
- S = wmi_get_event_data(V, &R);
- if (\( S != AE_OK \| ACPI_FAILURE(S) \)) X
  ...>
  }

@depends on h@ identifier f.F, f.R, o.O; @@
  F(...)
  {
  <...
- O = \( (union acpi_object *)R.pointer \| R.pointer \);
  ...>
  }

@depends on h@ identifier f.F, f.R, o.O; @@
  F(...)
  {
  <...
- kfree(\( R.pointer \| O \));
  ...>
  }

@depends on h@ identifier f.F, f.R; @@
  F(...)
  {
  ...
- struct acpi_buffer R = { ... };
  ...
  }

@depends on h@ identifier f.F, o.O; @@
  F(...)
  {
  ...
- union acpi_object *O;
  ...
  }

@depends on h@ typedef acpi_status; identifier f.F, f.S; @@
  F(...)
  {
  ...
- acpi_status S;
  ... when != S
  }

// handlers that pass the value on
@depends on h@ identifier f.F, W, V; @@
  W(
- u32 V
+ union acpi_object *V
  , ...)
  {
  <+...
  F(V, ...)
  ...+>
  }
