import { type ClientOption, clientOptions, type Clients, type OneOrMore } from '../../checks/clients.js';
import { variableOf } from '../../core/options/read-option.js';

/** The setting of a client: that of `db` is `HEALTH_DB`. */
export type ClientSetting<Option extends ClientOption = ClientOption> = `HEALTH_${Uppercase<Option>}`;

/** The settings of the clients; `Token` is the framework's alternative to a client. */
export type ClientSettings<Token> = {
  readonly [Option in ClientOption as ClientSetting<Option>]?: OneOrMore<Clients[Option] | Token> | undefined;
};

export const clientSettingOf = (option: ClientOption): ClientSetting => settingOf[option];

/** The names of options are words without capitals. */
const settingOf: Readonly<Record<ClientOption, ClientSetting>> = Object.assign(
  {},
  ...clientOptions.map((option) => ({ [option]: variableOf(option) })),
);

export const clientSettings: readonly ClientSetting[] = clientOptions.map((option) =>
  clientSettingOf(option),
);
